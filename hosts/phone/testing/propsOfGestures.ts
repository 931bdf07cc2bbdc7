/** The properties of what is touched and scrolled, and of what stands over the rest of an app. */
import { until } from "./App.ts"
import {
  attached,
  both,
  type Claim,
  clickAt,
  drag,
  draws,
  focused,
  has,
  hidden,
  hold,
  holds,
  lime,
  measures,
  moveTo,
  neverReports,
  of,
  otherwise,
  reads,
  red,
  reports,
  shown,
  stands,
  type Table,
  tap,
  tapped,
  wheel
} from "./claims.ts"

const press: Table = {
  onHoverIn: otherwise("a phone has no mouse: nothing is hovered over"),
  onHoverOut: otherwise("a phone has no mouse: nothing is hovered over"),
  onPress: of("events", tapped("onPress")),
  onPressIn: reports("onPressIn"),
  onPressOut: reports("onPressOut"),
  onPressMove: of("events", hold(moveTo(20, 20), moveTo(60, 10)), reports("onPressMove")),
  onLongPress: of("events", hold(reports("onLongPress"))),
  delayLongPress: reports("onLongPress"),
  onFocus: otherwise("only fields receive the keyboard's focus"),
  onBlur: otherwise("only fields receive the keyboard's focus"),
  children: both(of("state", reads("not pressed")), tap, of("state", reads("pressed"))),
  disabled: both(clickAt(9, 9), of("events", tap), neverReports("disabled")),
  hitSlop: both(clickAt(50, 45), reports("hitSlop")),
  pressRetentionOffset: both(hold(moveTo(40, 75)), reports("pressRetentionOffset")),
  style: both(hold(draws({ opacity: "0.5" })), draws({ opacity: "1" })),
  testOnly_pressed: measures(77, 30),
  unstable_pressDelay: tapped("delayed"),
  cancelable: tapped("cancelable"),
  testID: of("events", shown),
  "TouchableOpacity: activeOpacity": both(hold(draws({ opacity: "0.3" })), draws({ opacity: "1" }), reports("opacity")),
  "TouchableOpacity: disabled": both(clickAt(9, 9), of("events", tap), neverReports("opacity off")),
  "TouchableHighlight: underlayColor": both(hold(draws({ backgroundColor: red })), reports("highlight")),
  "TouchableHighlight: activeOpacity": of(
    "TouchableHighlight: underlayColor",
    hold(of("highlighted", draws({ opacity: "0.5" })))
  ),
  "TouchableHighlight: onShowUnderlay": reports("onShowUnderlay"),
  "TouchableHighlight: onHideUnderlay": reports("onHideUnderlay"),
  "TouchableHighlight: testOnly_pressed": draws({ backgroundColor: lime }),
  "TouchableWithoutFeedback: onPress": of(
    "TouchableWithoutFeedback",
    tapped("bare onPressIn", "bare onPressOut", "bare onPress")
  ),
  "TouchableWithoutFeedback: delayPressIn": reports("bare onPressIn"),
  "TouchableWithoutFeedback: delayPressOut": reports("bare onPressOut"),
  "TouchableWithoutFeedback: onLongPress": of("TouchableWithoutFeedback", hold(reports("bare onLongPress"))),
  "TouchableWithoutFeedback: delayLongPress": reports("bare onLongPress"),
  "TouchableWithoutFeedback: onLayout": reports("bare onLayout 150"),
  "TouchableWithoutFeedback: hitSlop": of("TouchableWithoutFeedback", clickAt(50, 45), reports("bare onPress")),
  "TouchableWithoutFeedback: disabled": both(clickAt(9, 9), of("events", tap), neverReports("bare off")),
  "TouchableWithoutFeedback: accessibilityLabel": of(
    "TouchableWithoutFeedback: disabled",
    has({ "aria-label": "Bare" })
  ),
  "Button: title": both(reads("Press me"), tapped("button"), has({ role: "button" })),
  "Button: color": draws({ color: red }, ".text"),
  "Button: disabled": both(
    has({ "aria-disabled": "true" }),
    clickAt(20, 9),
    of("events", tap),
    neverReports("button off")
  ),
  "Button: accessibilityLabel": has({ "aria-label": "A labelled button" })
}

const track = ":scope > :first-child"

const knob = ".knob"

const controls: Table = {
  "Switch: value": both(has({ "aria-checked": "false" }), tap, has({ "aria-checked": "true" })),
  "Switch: onValueChange": reports("onValueChange true"),
  "Switch: onChange": reports("onChange true"),
  "Switch: disabled": both(
    has({ "aria-disabled": "true" }),
    clickAt(20, 15),
    has({ "aria-checked": "false" }),
    neverReports("Switch: disabled")
  ),
  "Switch: thumbColor": draws({ backgroundColor: red }, knob),
  "Switch: trackColor": draws({ backgroundColor: red }, track),
  "Switch: trackColor off": draws({ backgroundColor: "rgba(120, 120, 128, 0.16)" }, track),
  "Switch: ios_backgroundColor": draws({ backgroundColor: "rgb(0, 0, 255)" }),
  "ActivityIndicator: animating": draws({ visibility: "hidden" }),
  "ActivityIndicator: hidesWhenStopped": draws({ visibility: "visible" }),
  "ActivityIndicator: color": draws({ backgroundImage: /rgb\(255, 0, 0\)/ }, ".wheel"),
  "ActivityIndicator: size": measures(undefined, 36),
  "ActivityIndicator: size in points": measures(undefined, 44),
  "StatusBar: animated": otherwise("there is no status bar"),
  "StatusBar: barStyle": otherwise("there is no status bar"),
  "StatusBar: hidden": otherwise("there is no status bar"),
  "StatusBar: networkActivityIndicatorVisible": otherwise("there is no status bar"),
  "StatusBar: showHideTransition": otherwise("there is no status bar"),
  "StatusBar: setBarStyle": tapped("StatusBar: setBarStyle"),
  "StatusBar: setHidden": tapped("StatusBar: setHidden"),
  "StatusBar: setNetworkActivityIndicatorVisible": tapped("StatusBar: setNetworkActivityIndicatorVisible"),
  "StatusBar: pushStackEntry": tapped("StatusBar: pushStackEntry"),
  "StatusBar: popStackEntry": reports("StatusBar: pushStackEntry"),
  "StatusBar: replaceStackEntry": reports("StatusBar: pushStackEntry"),
  "StatusBar: currentHeight": tapped("currentHeight null")
}

const pan: Table = {
  onStartShouldSetPanResponder: of("whole", drag(40, 20), reports("onStartShouldSetPanResponder")),
  onStartShouldSetPanResponderCapture: reports("onStartShouldSetPanResponderCapture"),
  onPanResponderStart: reports("onPanResponderStart"),
  onPanResponderGrant: reports("onPanResponderGrant"),
  onPanResponderMove: reports("onPanResponderMove dx 40 dy 20 from true v true touches 1 number"),
  onPanResponderEnd: reports("onPanResponderEnd"),
  onPanResponderRelease: reports("onPanResponderRelease 40 20"),
  onMoveShouldSetPanResponder: of("mover", drag(30, 10), reports("onMoveShouldSetPanResponder", "granted on a move")),
  onMoveShouldSetPanResponderCapture: reports("onMoveShouldSetPanResponderCapture"),
  onShouldBlockNativeResponder: of("robbed", drag(30, 10), reports("onShouldBlockNativeResponder")),
  onPanResponderTerminationRequest: reports("onPanResponderTerminationRequest"),
  onPanResponderTerminate: reports("onPanResponderTerminate"),
  onPanResponderReject: of("stubborn", drag(30, 10), reports("onPanResponderReject"))
}

export const touching: Readonly<Record<string, Table>> = { press, controls, pan }

const noBounce = otherwise("nothing bounces")

const noZoom = otherwise("nothing is zoomed")

const noIndicator = otherwise("no indicator is drawn")

const noInset = otherwise("a screen has no insets of its own")

/** By a wheel, to where it comes to rest. */
const rests = (name: string, by: number, at: number): Claim => both(wheel(by, 0), reports(`${name} rests at ${at}`))

const scroll: Table = {
  contentContainerStyle: draws({ top: "17px" }, ".content > *"),
  contentOffset: holds({ scrollTop: 60 }),
  contentInset: both(wheel(0, 900), holds({ scrollTop: 342 })),
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

/** Opens a modal, looks at it, and closes it again. */
const opened =
  (...seen: ReadonlyArray<Claim>): Claim =>
  (app, name) =>
    both(
      tapped(`onShow ${name}`),
      of(`in ${name}`, shown),
      of(`modal ${name}`, ...seen),
      of(`close ${name}`, tapped(`onDismiss ${name}`)),
      of(`modal ${name}`, hidden)
    )(app, name)

/** A modal's own element, which is around what it shows. */
const modal: Table = {
  visible: opened(has({ role: "dialog" })),
  onShow: reports("onShow visible"),
  onDismiss: reports("onDismiss visible"),
  "animationType: slide": opened(),
  "animationType: fade": opened(),
  "animationType: none": opened(),
  transparent: opened(draws({ backgroundColor: "rgba(0, 0, 0, 0)" })),
  backdropColor: opened(draws({ backgroundColor: red }, ":scope > *")),
  "presentationStyle: pageSheet": opened(measures(390, 834)),
  "presentationStyle: fullScreen": opened(measures(390, 844)),
  supportedOrientations: opened(),
  onOrientationChange: both(opened(), reports("onOrientationChange portrait")),
  onRequestClose: otherwise("on iOS a sheet that is swiped down asks for it, and sheets aren't"),
  allowSwipeDismissal: otherwise("sheets aren't swiped")
}

/** Opens a dialog, sees what it shows, and presses one of its buttons. */
const answered =
  (press: string, fill: ReadonlyArray<string>, ...seen: ReadonlyArray<Claim>): Claim =>
  async (app, name) => {
    await app.tap(name)
    const dialog = app.frame.locator("[role=alertdialog], [role=dialog]").last()
    await dialog.waitFor()
    const fields = dialog.locator("input")
    for (const [at, text] of fill.entries()) await fields.nth(at).fill(text)
    await both(...seen)(app, name)
    await dialog.getByRole("button", { name: press, exact: true }).click()
    await dialog.waitFor({ state: "detached" })
  }

/** Within the dialog that is open, an element of this selector, with these attributes or this style. */
const within =
  (selector: string, wanted: Readonly<Record<string, string | RegExp>>): Claim =>
  (app) =>
    until(app, async () => {
      const seen = await app.frame
        .locator("[role=alertdialog], [role=dialog]")
        .last()
        .locator(selector)
        .first()
        .evaluate((one, names) => {
          const style = getComputedStyle(one)
          return names.map((name) => one.getAttribute(name) ?? String(Reflect.get(style, name) ?? one.textContent))
        }, Object.keys(wanted))
      const wrong = Object.entries(wanted).filter(([, one], at) =>
        typeof one === "string" ? seen[at] !== one : !one.test(seen[at] ?? "")
      )
      return wrong.length === 0 ? undefined : `${selector} has ${seen.join()}, and not ${JSON.stringify(wanted)}`
    })

const says =
  (...texts: ReadonlyArray<string>): Claim =>
  async ({ frame }) => {
    const dialog = frame.locator("[role=alertdialog], [role=dialog]").last()
    for (const text of texts) await dialog.getByText(text, { exact: true }).waitFor()
  }

const dialogs: Table = {
  "Alert: title": answered("OK", [], says("A title", "A message")),
  "Alert: message": of("Alert: title", answered("OK", [], says("A message"))),
  "Alert: buttons": both(answered("Delete", []), reports("destructive")),
  "Alert: button's style": of(
    "Alert: buttons",
    answered("Cancel", [], within("button:has-text('Delete')", { color: "rgb(255, 59, 48)" })),
    reports("cancel")
  ),
  "Alert: isPreferred": of(
    "Alert: buttons",
    answered("Later", [], within("button:has-text('Later')", { fontWeight: "600" })),
    reports("preferred")
  ),
  "Alert: userInterfaceStyle": answered("OK", [], within("div", { backgroundColor: "rgb(28, 28, 30)" })),
  "prompt: plain-text": both(answered("OK", ["Bea"], within("input", { type: "text" })), reports("prompt Bea")),
  "prompt: defaultValue": of("prompt: plain-text", answered("OK", []), reports("prompt Ann")),
  "prompt: secure-text": both(answered("OK", ["hush"], within("input", { type: "password" })), reports("secret hush")),
  "prompt: login-password": both(answered("OK", ["ann", "hush"]), reports("login ann hush")),
  "prompt: keyboardType": answered("OK", ["1"], within("input", { inputmode: "numeric" })),
  "sheet: options": both(answered("Delete", []), reports("sheet 1")),
  "sheet: title": answered("Keep", [], says("A sheet", "With a message")),
  "sheet: message": of("sheet: title", answered("Keep", [], says("With a message"))),
  "sheet: cancelButtonIndex": both(
    answered("Cancel", [], within("button:has-text('Cancel')", { fontWeight: "600" })),
    reports("cancelled 2")
  ),
  "sheet: destructiveButtonIndex": both(
    answered("Delete", [], within("button:has-text('Delete')", { color: "rgb(255, 59, 48)" })),
    reports("destroyed 1")
  ),
  "sheet: disabledButtonIndices": answered("Cancel", [], within("button:has-text('Keep')", { disabled: "" })),
  "sheet: tintColor": answered("Keep", [], within("button:has-text('Keep')", { color: red })),
  "sheet: cancelButtonTintColor": answered("Cancel", [], within("button:has-text('Cancel')", { color: lime })),
  "sheet: userInterfaceStyle": answered("Keep", [], within("div", { backgroundColor: "rgb(28, 28, 30)" })),
  "sheet: dismissActionSheet": both(tap, async ({ frame }) => {
    await frame.locator("[role=dialog]").waitFor({ state: "detached" })
  }),
  "sheet: showShareActionSheetWithOptions": tapped("share true")
}

export const overlays: Readonly<Record<string, Table>> = { modal, dialogs }
