/** Scrolling views: lists too, and pull to refresh. */
import {
  attached,
  both,
  clickAt,
  drag,
  draws,
  focused,
  holds,
  lime,
  neverReports,
  of,
  otherwise,
  reads,
  shown,
  stands,
  tap,
  tapped,
  reports,
  wheel,
  type Claim,
  type Table
} from "./claims.ts"

const noBounce = otherwise("nothing bounces")

const noZoom = otherwise("nothing is zoomed")

const noIndicator = otherwise("no indicator is drawn")

const noInset = otherwise("a screen has no insets of its own")

/** By a wheel, to where it comes to rest. */
const rests = (name: string, by: number, at: number): Claim => both(wheel(by, 0), reports(`${name} rests at ${at}`))

const scroll: Table = {
  contentContainerStyle: draws({ top: "17px" }, ".content > *"),
  contentOffset: holds({ scrollTop: 60 }),
  contentInset: both(wheel(0, 900), holds({ scrollTop: 330 })),
  horizontal: draws({ overflowX: "auto", overflowY: "hidden" }),
  scrollEnabled: draws({ overflowX: "hidden", overflowY: "hidden" }),
  showsHorizontalScrollIndicator: noIndicator,
  showsVerticalScrollIndicator: noIndicator,
  indicatorStyle: noIndicator,
  scrollIndicatorInsets: noIndicator,
  flashScrollIndicators: noIndicator,
  alwaysBounceHorizontal: noBounce,
  alwaysBounceVertical: noBounce,
  bounces: noBounce,
  bouncesZoom: noBounce,
  canCancelContentTouches: otherwise("a list always takes a touch that drags it"),
  directionalLockEnabled: otherwise("a list is moved one way only"),
  automaticallyAdjustContentInsets: noInset,
  automaticallyAdjustsScrollIndicatorInsets: noInset,
  automaticallyAdjustKeyboardInsets: otherwise("the keyboard covers a list, which isn't moved"),
  contentInsetAdjustmentBehavior: noInset,
  disableScrollViewPanResponder: shown,
  nestedScrollEnabled: both(wheel(0, 40), holds({ scrollTop: 40 })),
  pinchGestureEnabled: noZoom,
  zoomScale: noZoom,
  maximumZoomScale: noZoom,
  minimumZoomScale: noZoom,
  removeClippedSubviews: shown,
  scrollToOverflowEnabled: otherwise("a list isn't scrolled beyond its end"),
  scrollsToTop: otherwise("there is no status bar to tap"),
  onScrollToTop: otherwise("there is no status bar to tap"),
  centerContent: of("centred", stands("centerContent", 0, 40)),
  onContentSizeChange: reports("onContentSizeChange 200×400"),
  onScroll: both(wheel(0, 50), reports("onScroll 50 of 400 in 100")),
  onScrollBeginDrag: reports("onScrollBeginDrag"),
  onScrollEndDrag: reports("onScrollEndDrag"),
  onMomentumScrollBegin: reports("onMomentumScrollBegin"),
  onMomentumScrollEnd: reports("onMomentumScrollEnd"),
  scrollEventThrottle: both(drag(0, -40), reports("throttled"), async ({ at }) => {
    const count = ((await at("said").textContent()) ?? "").split("throttled").length - 1
    if (count > 4) throw new Error(`it reported ${count} times`)
  }),
  decelerationRate: otherwise("a mouse's drag follows it, fingers and wheels are the browser's"),
  pagingEnabled: rests("pagingEnabled", 150, 200),
  snapToInterval: rests("snapToInterval", 140, 150),
  snapToOffsets: rests("snapToOffsets", 120, 130),
  snapToStart: rests("snapToStart", 100, 100),
  snapToEnd: rests("snapToEnd", 250, 250),
  snapToAlignment: rests("snapToAlignment", 110, 125),
  disableIntervalMomentum: rests("disableIntervalMomentum", 140, 150),
  stickyHeaderIndices: both(wheel(0, 150), of("header-a", stands("stickyHeaderIndices", 0, 0))),
  StickyHeaderComponent: of("its own header", shown),
  stickyHeaderHiddenOnScroll: both(
    wheel(0, 200),
    holds({ scrollTop: 200 }),
    of("header-d", stands("stickyHeaderHiddenOnScroll", 0, -20)),
    wheel(0, -60),
    of("header-d", stands("stickyHeaderHiddenOnScroll", 0, 0))
  ),
  invertStickyHeaders: both(wheel(0, 300), of("header-e", stands("invertStickyHeaders", 0, 80))),
  maintainVisibleContentPosition: both(
    holds({ scrollTop: 80 }),
    of("put before", tap),
    holds({ scrollTop: 120 }),
    of("put before", tap),
    holds({ scrollTop: 160 })
  ),
  refreshControl: draws({ display: "block" }, ".wheel"),
  keyboardShouldPersistTaps: of(
    "persisting",
    clickAt(5, 5),
    focused(),
    of("persisted", tapped("persisted")),
    focused()
  ),
  "keyboardShouldPersistTaps: never": of(
    "swallowing",
    clickAt(5, 5),
    focused(),
    of("swallowed", tap),
    focused(false),
    neverReports("swallowed")
  ),
  keyboardDismissMode: both(of("dismissed", clickAt(5, 5), focused()), drag(0, -30), reports("dismissed")),
  scrollTo: both(tap, of("methods", holds({ scrollTop: 55 }))),
  "scrollTo: animated": both(tap, of("methods", holds({ scrollTop: 90 }))),
  scrollToEnd: both(tap, of("methods", holds({ scrollTop: 300 })))
}

const list: Table = {
  data: reads("header0 oneafter one1 twofooter"),
  renderItem: of("one", reads("0 one")),
  ItemSeparatorComponent: reads("after one"),
  ListHeaderComponent: reads("header"),
  ListFooterComponent: reads("footer"),
  ListHeaderComponentStyle: of("ListHeaderComponent", stands("data", 11, 0)),
  ListFooterComponentStyle: of("ListFooterComponent", stands("data", 12, undefined)),
  ListEmptyComponent: of("empty", reads("nothing")),
  numColumns: of("numColumns 1", stands("numColumns", undefined, 0)),
  columnWrapperStyle: of("numColumns 0", async (app, testID) => {
    const [one, two] = await Promise.all([app.at(testID).boundingBox(), app.at("numColumns 1").boundingBox()])
    if (two === null || one === null || Math.abs(two.x - one.x - one.width - 15) > 1) throw new Error("no gap of 15")
  }),
  extraData: both(of("change extra", tap), of("extra 3", reads("after 3"))),
  horizontal: draws({ overflowX: "auto" }),
  initialNumToRender: of("initialNumToRender 1", attached),
  initialScrollIndex: holds({ scrollTop: 300 }),
  getItemLayout: of("initialScrollIndex", holds({ scrollTop: 300 })),
  inverted: of("inverted 0", stands("inverted", undefined, 90)),
  keyExtractor: of("keyExtractor 1", shown),
  onEndReached: both(wheel(0, 5000), reports("onEndReached")),
  onEndReachedThreshold: reports("onEndReached"),
  onStartReached: both(wheel(0, -5000), reports("onStartReached")),
  onRefresh: both(drag(0, 140), reports("onRefresh"), draws({ display: "block" }, ".wheel")),
  refreshing: of("onRefresh", draws({ display: "block" }, ".wheel")),
  progressViewOffset: of("onRefresh", draws({ top: "24px" }, ".wheel")),
  onViewableItemsChanged: both(wheel(0, 570), reports("onViewableItemsChanged 20")),
  viewabilityConfig: reports("onViewableItemsChanged 20"),
  viewabilityConfigCallbackPairs: both(wheel(0, 570), reports("viewabilityConfigCallbackPairs 21")),
  removeClippedSubviews: of("removeClippedSubviews 0", shown),
  CellRendererComponent: of("cell", shown),
  scrollToEnd: tapped("at 1080"),
  scrollToIndex: tapped("at 300"),
  scrollToItem: tapped("at 600"),
  scrollToOffset: tapped("at 45"),
  getScrollableNode: tapped("nodes number object object"),
  getNativeScrollRef: reports("nodes number object object"),
  getScrollResponder: reports("nodes number object object"),
  recordInteraction: tapped("recorded and flashed"),
  flashScrollIndicators: noIndicator
}

const sections: Table = {
  sections: shown,
  renderItem: of("a0", reads("a0 before")),
  renderSectionHeader: of("header a", reads("header a")),
  renderSectionFooter: of("footer a", attached),
  ItemSeparatorComponent: attached,
  SectionSeparatorComponent: attached,
  ListHeaderComponent: reads("list header"),
  keyExtractor: of("a0", shown),
  initialNumToRender: of("c9", attached),
  extraData: both(tap, of("a0", reads("a0 after"))),
  stickySectionHeadersEnabled: both(
    of("sections", wheel(0, 150)),
    of("header a", stands("sections", 0, undefined)),
    of("header a", shown),
    of("loose a", shown)
  ),
  scrollToLocation: both(tap, of("b0", shown)),
  onEndReached: both(of("sections", wheel(0, 5000)), reports("onEndReached")),
  ListFooterComponent: reads("list footer"),
  onViewableItemsChanged: reports("onViewableItemsChanged c9"),
  onRefresh: both(of("sections", wheel(0, -9000), holds({ scrollTop: 0 }), drag(0, 140)), reports("onRefresh")),
  refreshing: reports("onRefresh"),
  ListEmptyComponent: of("empty", reads("no section")),
  inverted: of("up a0", async (app, testID) => {
    const [first, second] = await Promise.all([app.at(testID).boundingBox(), app.at("up a1").boundingBox()])
    if (first === null || second === null || first.y <= second.y) throw new Error("the first isn't the lowest")
  }),
  "section: renderItem": of("by the section", reads("by the section 1"))
}

const refresh: Table = {
  onRefresh: both(drag(0, 120), reports("onRefresh")),
  refreshing: both(
    of("onRefresh", draws({ display: "block" }, ".wheel")),
    of("stop", tap),
    of("onRefresh", draws({ display: "none" }, ".wheel"))
  ),
  "refreshing, never set": of("stubborn", drag(0, 120), reports("never set"), draws({ display: "none" }, ".wheel")),
  testID: of("the control", attached),
  tintColor: of("drawn control", draws({ backgroundImage: /rgb\(255, 0, 0\)/ }, ".wheel")),
  title: of("drawn control", reads("Loading again")),
  titleColor: of("drawn control", draws({ color: lime }, ".title")),
  progressViewOffset: of("drawn control", draws({ top: "35px" }, ".wheel"))
}

export const scrolling: Readonly<Record<string, Table>> = { scroll, list, sections, refresh }
