/** The properties of views and pictures, and of what moves. */
import {
  attached,
  both,
  type Claim,
  clickAt,
  drag,
  draws,
  has,
  hidden,
  measures,
  neverReports,
  of,
  otherwise,
  reads,
  red,
  reports,
  shown,
  side,
  stands,
  type Table,
  tap,
  tapped,
  transforms,
  wheel
} from "./claims.ts"

const view: Table = {
  testID: shown,
  id: has({ id: "by-id" }),
  nativeID: has({ id: "by-native-id" }),
  style: measures(32, 31),
  onLayout: reports("onLayout 16 100×24"),
  hitSlop: both(clickAt(50, 36), reports("hitSlop")),
  pointerEvents: both(clickAt(50, 12), reports("around none"), neverReports("none")),
  "pointerEvents: box-only": of("within-box-only", clickAt(50, 12), reports("box-only true")),
  "pointerEvents: box-none": both(
    of("within-box-none", clickAt(50, 12), reports("within box-none")),
    of("box-none", clickAt(150, 12), reports("around box-none"))
  ),
  removeClippedSubviews: of("not-removed", shown),
  collapsable: attached,
  collapsableChildren: of("kept", shown),
  needsOffscreenAlphaCompositing: draws({ opacity: "0.5" }),
  shouldRasterizeIOS: shown,
  onTouchStart: of("touches", drag(10, 5), reports("onTouchStart")),
  onTouchMove: reports("onTouchMove"),
  onTouchEnd: reports("onTouchEnd"),
  onStartShouldSetResponder: of("responder", drag(10, 5), reports("onStartShouldSetResponder")),
  onResponderStart: reports("onResponderStart"),
  onResponderGrant: reports("onResponderGrant"),
  onResponderMove: reports("onResponderMove"),
  onResponderEnd: reports("onResponderEnd"),
  onResponderRelease: reports("onResponderRelease"),
  onStartShouldSetResponderCapture: of(
    "capture-start",
    tap,
    reports("onStartShouldSetResponderCapture", "captured at start"),
    neverReports("not captured")
  ),
  onMoveShouldSetResponder: of("mover", drag(20, 5), reports("onMoveShouldSetResponder", "granted on a move")),
  onMoveShouldSetResponderCapture: of(
    "robbed",
    drag(20, 5),
    reports("onMoveShouldSetResponderCapture", "captured on a move")
  ),
  onResponderTerminationRequest: reports("onResponderTerminationRequest"),
  onResponderTerminate: reports("onResponderTerminate"),
  onResponderReject: of("stubborn", drag(20, 5), reports("onResponderReject"))
}

const accessibility: Table = {
  accessible: otherwise("ARIA has no word for parts that are read as one"),
  accessibilityLabel: has({ "aria-label": "A label" }),
  accessibilityHint: has({ "aria-description": "What it does" }),
  accessibilityRole: has({ role: "button" }),
  accessibilityState: has({
    "aria-disabled": "true",
    "aria-selected": "true",
    "aria-checked": "mixed",
    "aria-busy": "true",
    "aria-expanded": "false"
  }),
  accessibilityValue: has({
    "aria-valuemin": "1",
    "aria-valuemax": "9",
    "aria-valuenow": "4",
    "aria-valuetext": "four"
  }),
  accessibilityElementsHidden: has({ "aria-hidden": "true" }),
  accessibilityViewIsModal: has({ "aria-modal": "true" }),
  accessibilityIgnoresInvertColors: otherwise("a browser doesn't tell whether colours are inverted"),
  accessibilityLanguage: has({ lang: "fr-CA" }),
  accessibilityShowsLargeContentViewer: otherwise("there is no viewer of large content"),
  accessibilityLargeContentTitle: otherwise("there is no viewer of large content"),
  accessibilityRespondsToUserInteraction: otherwise("nothing shows it"),
  role: has({ role: "checkbox" }),
  "aria-busy": has({ "aria-busy": "true" }),
  "aria-checked": has({ "aria-checked": "true" }),
  "aria-disabled": has({ "aria-disabled": "true" }),
  "aria-expanded": has({ "aria-expanded": "true" }),
  "aria-hidden": has({ "aria-hidden": "true" }),
  "aria-label": has({ "aria-label": "Another label" }),
  "aria-modal": has({ "aria-modal": "true" }),
  "aria-selected": has({ "aria-selected": "true" }),
  "aria-valuemax": has({ "aria-valuemax": "8" }),
  "aria-valuemin": has({ "aria-valuemin": "2" }),
  "aria-valuenow": has({ "aria-valuenow": "5" }),
  "aria-valuetext": has({ "aria-valuetext": "five" }),
  accessibilityActions: both(
    async ({ at, page }, testID) => {
      await at(testID).focus()
      await page.keyboard.press("ArrowUp")
    },
    reports("onAccessibilityAction increment"),
    has({ "aria-valuenow": "4" })
  ),
  onAccessibilityAction: reports("onAccessibilityAction increment"),
  onAccessibilityTap: otherwise("a screen reader's gesture"),
  onMagicTap: otherwise("a screen reader's gesture"),
  onAccessibilityEscape: otherwise("a screen reader's gesture"),
  experimental_accessibilityOrder: otherwise("what is read is in the order of what is drawn")
}

const viewStyle: Table = {
  backfaceVisibility: side("backfaceVisibility", "hidden"),
  backgroundColor: side("backgroundColor", "rgb(102, 51, 153)"),
  experimental_backgroundImage: draws({ backgroundImage: /^linear-gradient\(.*rgb\(255, 0, 0\), rgb\(0, 255, 0\)/ }),
  borderWidth: draws({ borderTopWidth: "3px", borderLeftWidth: "3px" }),
  borderTopWidth: side("borderTopWidth", "1px"),
  borderRightWidth: side("borderRightWidth", "2px"),
  borderBottomWidth: side("borderBottomWidth", "3px"),
  borderLeftWidth: side("borderLeftWidth", "4px"),
  borderStartWidth: side("borderLeftWidth", "5px"),
  borderEndWidth: side("borderRightWidth", "6px"),
  borderColor: draws({ borderTopColor: red, borderLeftColor: red }),
  borderTopColor: draws({ borderTopColor: red, borderLeftColor: "rgb(0, 0, 0)" }),
  borderRightColor: side("borderRightColor", red),
  borderBottomColor: side("borderBottomColor", red),
  borderLeftColor: side("borderLeftColor", red),
  borderStartColor: side("borderLeftColor", red),
  borderEndColor: side("borderRightColor", red),
  borderBlockColor: draws({ borderTopColor: red, borderBottomColor: red }),
  borderBlockStartColor: side("borderTopColor", red),
  borderBlockEndColor: side("borderBottomColor", red),
  borderCurve: otherwise("corners are parts of circles"),
  borderRadius: draws({ borderTopLeftRadius: "7px", borderBottomRightRadius: "7px" }),
  borderTopLeftRadius: side("borderTopLeftRadius", "1px"),
  borderTopRightRadius: side("borderTopRightRadius", "2px"),
  borderBottomLeftRadius: side("borderBottomLeftRadius", "3px"),
  borderBottomRightRadius: side("borderBottomRightRadius", "4px"),
  borderTopStartRadius: side("borderTopLeftRadius", "5px"),
  borderTopEndRadius: side("borderTopRightRadius", "6px"),
  borderBottomStartRadius: side("borderBottomLeftRadius", "7px"),
  borderBottomEndRadius: side("borderBottomRightRadius", "8px"),
  borderStartStartRadius: side("borderTopLeftRadius", "9px"),
  borderStartEndRadius: side("borderTopRightRadius", "10px"),
  borderEndStartRadius: side("borderBottomLeftRadius", "11px"),
  borderEndEndRadius: side("borderBottomRightRadius", "12px"),
  borderStyle: side("borderTopStyle", "dashed"),
  boxShadow: side("boxShadow", `${red} 1px 2px 3px 4px`),
  cursor: side("cursor", "pointer"),
  filter: side("filter", "brightness(0.5) blur(2px)"),
  isolation: side("isolation", "isolate"),
  mixBlendMode: side("mixBlendMode", "multiply"),
  opacity: side("opacity", "0.25"),
  outlineColor: side("outlineColor", red),
  outlineOffset: side("outlineOffset", "3px"),
  outlineStyle: side("outlineStyle", "dotted"),
  outlineWidth: side("outlineWidth", "4px"),
  overflow: side("overflow", "clip"),
  pointerEvents: side("pointerEvents", "none"),
  shadowColor: draws({ boxShadow: /^color\(srgb 1 0 0\) 1px 2px 8px/ }),
  shadowOffset: draws({ boxShadow: /5px 6px 0px/ }),
  shadowOpacity: draws({ boxShadow: /0 0 0 \/ 0.5/ }),
  shadowRadius: draws({ boxShadow: /0px 0px 10px/ }),
  transform: transforms(2, 0, 0, 2, 5, 0),
  transformOrigin: side("transformOrigin", "0px 0px"),
  zIndex: side("zIndex", "3"),
  "transform: matrix": transforms(1, 0, 0, 1, 7, 8),
  "transform: perspective": draws({ transform: /^matrix3d/ }),
  "transform: rotate": transforms(0, 1, -1, 0, 0, 0),
  "transform: rotateX": transforms(1, 0, 0, -1, 0, 0),
  "transform: rotateY": transforms(-1, 0, 0, 1, 0, 0),
  "transform: rotateZ": transforms(0, 1, -1, 0, 0, 0),
  "transform: scale": transforms(2, 0, 0, 2, 0, 0),
  "transform: scaleX": transforms(2, 0, 0, 1, 0, 0),
  "transform: scaleY": transforms(1, 0, 0, 2, 0, 0),
  "transform: skewX": transforms(1, 0, 1, 1, 0, 0),
  "transform: skewY": transforms(1, 1, 0, 1, 0, 0),
  "transform: translateX": transforms(1, 0, 0, 1, 6, 0),
  "transform: translateY": transforms(1, 0, 0, 1, 0, 6),
  "transform: a text": transforms(1, 0, 0, 1, 3, 4),
  "color: three digits": side("backgroundColor", red),
  "color: four digits": draws({ backgroundColor: /^rgba\(255, 0, 0, 0.53/ }),
  "color: rgb": side("backgroundColor", red),
  "color: hsl": side("backgroundColor", red),
  "color: hwb": side("backgroundColor", red),
  "color: name": side("backgroundColor", "rgb(255, 99, 71)"),
  "color: PlatformColor": side("backgroundColor", "rgb(255, 59, 48)"),
  "color: DynamicColorIOS": side("backgroundColor", red)
}

/** Where the inner box of each property is, in points: x, y, and its width and height where they aren't 40 and 20. */
const places: Readonly<Record<string, readonly [x: number, y: number, width?: number, height?: number]>> = {
  alignContent: [0, 80],
  alignItems: [80, 0],
  alignSelf: [160, 0],
  aspectRatio: [0, 0],
  borderWidth: [5, 5],
  bottom: [0, 70],
  boxSizing: [0, 0, 50, 30],
  direction: [160, 0],
  end: [150, 0],
  flex: [0, 0, 40, 80],
  flexBasis: [0, 0, 40, 30],
  flexDirection: [160, 0],
  flexGrow: [0, 0, 40, 80],
  flexShrink: [0, 0, 40, 80],
  height: [0, 0, 40, 33],
  inset: [10, 10, 180, 80],
  insetBlock: [0, 10, 40, 80],
  insetBlockEnd: [0, 70],
  insetBlockStart: [0, 10],
  insetInline: [10, 0, 180, 20],
  insetInlineEnd: [150, 0],
  insetInlineStart: [10, 0],
  justifyContent: [0, 30],
  left: [20, 0],
  margin: [7, 7],
  marginBlock: [0, 7],
  marginBlockEnd: [0, 53],
  marginBlockStart: [0, 7],
  marginBottom: [0, 53],
  marginEnd: [153, 0],
  marginHorizontal: [7, 0],
  marginInline: [7, 0],
  marginInlineEnd: [153, 0],
  marginInlineStart: [7, 0],
  marginLeft: [7, 0],
  marginRight: [153, 0],
  marginStart: [7, 0],
  marginTop: [0, 7],
  marginVertical: [0, 7],
  maxHeight: [0, 0, 40, 12],
  maxWidth: [0, 0, 12, 20],
  minHeight: [0, 0, 40, 55],
  minWidth: [0, 0, 55, 20],
  padding: [7, 7],
  paddingBlock: [0, 7],
  paddingBlockEnd: [0, 53],
  paddingBlockStart: [0, 7],
  paddingBottom: [0, 53],
  paddingEnd: [153, 0],
  paddingHorizontal: [7, 0],
  paddingInline: [7, 0],
  paddingInlineEnd: [153, 0],
  paddingInlineStart: [7, 0],
  paddingLeft: [7, 0],
  paddingRight: [153, 0],
  paddingStart: [7, 0],
  paddingTop: [0, 7],
  paddingVertical: [0, 7],
  position: [159, 0],
  right: [150, 0],
  start: [10, 0],
  top: [0, 10],
  width: [0, 0, 50, 20]
}

/** Of these it is the box after it that is moved. */
const placesAfter: Readonly<Record<string, readonly [x: number, y: number]>> = {
  columnGap: [108, 0],
  flexWrap: [0, 20],
  gap: [0, 48],
  rowGap: [0, 48]
}

const layout: Table = {
  ...Object.fromEntries(
    Object.entries(places).map(([name, [x, y, width = 40, height = 20]]) => [
      name,
      stands(`around ${name}`, x, y, width, height)
    ])
  ),
  ...Object.fromEntries(
    Object.entries(placesAfter).map(([name, [x, y]]) => [name, of(`after ${name}`, stands(`around ${name}`, x, y))])
  ),
  display: hidden
}

export const views: Readonly<Record<string, Table>> = { view, accessibility, "view-style": viewStyle, layout }

const pixels = (wanted: Readonly<Record<string, string | RegExp>>) => draws(wanted, ".pixels")

const isBuoy = pixels({ backgroundImage: /buoy/ })

const isDot = pixels({ backgroundImage: /data:image/ })

const image: Table = {
  source: both(isBuoy, measures(48, 40)),
  "source: uri": both(isDot, measures(22, 33)),
  "source: several": isDot,
  src: isDot,
  srcSet: isDot,
  width: measures(44, 12),
  height: measures(12, 44),
  alt: has({ "aria-label": "A buoy" }),
  accessibilityLabel: has({ "aria-label": "A buoy, labelled" }),
  blurRadius: pixels({ filter: "blur(2px)" }),
  capInsets: pixels({ borderImageSource: /buoy/, borderTopWidth: "4px" }),
  crossOrigin: otherwise("nothing is fetched from elsewhere"),
  referrerPolicy: otherwise("nothing is fetched from elsewhere"),
  defaultSource: isBuoy,
  tintColor: pixels({ backgroundColor: red, maskImage: /buoy/ }),
  resizeMode: pixels({ backgroundSize: "contain" }),
  "resizeMode: cover": pixels({ backgroundSize: "cover" }),
  "resizeMode: stretch": pixels({ backgroundSize: "100% 100%" }),
  "resizeMode: repeat": pixels({ backgroundRepeat: "repeat", backgroundSize: "48px 40px" }),
  "resizeMode: center": pixels({ backgroundSize: "36px 30px", backgroundPosition: "50% 50%" }),
  "resizeMode: none": pixels({ backgroundSize: "48px 40px", backgroundPosition: "0px 0px" }),
  onLoadStart: reports("onLoadStart"),
  onLoad: reports("onLoad true"),
  onLoadEnd: reports("onLoadEnd"),
  onLayout: reports("onLayout 60"),
  onProgress: otherwise("pictures are there at once"),
  onPartialLoad: otherwise("pictures are there at once"),
  onError: reports("onError string"),
  testID: shown,
  "source, changed": of("change", tapped("changes true"), of("changes", isDot)),
  ImageBackground: both(of("on the image", reads("on it")), draws({ opacity: "0.5" })),
  objectFit: pixels({ backgroundSize: "contain" }),
  opacity: side("opacity", "0.5"),
  borderRadius: side("borderTopLeftRadius", "9px"),
  borderColor: side("borderTopColor", red),
  backgroundColor: side("backgroundColor", red),
  overflow: shown,
  "style: resizeMode": pixels({ backgroundSize: "100% 100%" }),
  "style: tintColor": pixels({ backgroundColor: red }),
  getSize: tapped("getSize 2×2"),
  getSizeWithHeaders: tapped("getSizeWithHeaders 2×2"),
  prefetch: tapped("prefetch true"),
  queryCache: tapped("queryCache object"),
  resolveAssetSource: tapped("resolveAssetSource 48×40")
}

export const pictures: Readonly<Record<string, Table>> = { image }

const moves = (name: string, by = 50): Claim => both(tapped(`${name} true`), transforms(1, 0, 0, 1, by, 0))

const players = [
  "timing",
  "timing: delay",
  "timing: easing",
  "timing: without the driver",
  "spring",
  "spring: stiffness",
  "spring: tension",
  "sequence",
  "parallel",
  "stagger",
  "loop",
  "setValue",
  "setOffset",
  "flattenOffset",
  "extractOffset",
  "addListener",
  "stopAnimation",
  "resetAnimation"
]

const easings = [
  "back",
  "bezier",
  "bounce",
  "circle",
  "cubic",
  "ease",
  "elastic",
  "exp",
  "in",
  "inOut",
  "linear",
  "out",
  "poly",
  "quad",
  "sin",
  "step0",
  "step1"
]

const animated: Table = {
  ...Object.fromEntries(players.map((name) => [name, moves(name)])),
  decay: tapped("decay true"),
  removeListener: reports("listened true"),
  removeAllListeners: reports("listened true"),
  "start, finished": reports("stopped true", "stopped at number", "reset from 50"),
  add: both(of("move them", tapped("moved them")), transforms(1, 0, 0, 1, 55, 0)),
  subtract: transforms(1, 0, 0, 1, 45, 0),
  multiply: transforms(1, 0, 0, 1, 250, 0),
  divide: transforms(1, 0, 0, 1, 10, 0),
  modulo: transforms(1, 0, 0, 1, 20, 0),
  diffClamp: transforms(1, 0, 0, 1, 10, 0),
  interpolate: transforms(1, 0, 0, 1, 70, 0),
  ValueXY: both(of("move both ways", tapped("moved both ways")), transforms(1, 0, 0, 1, 30, 6)),
  event: both(wheel(0, 40), of("followed", transforms(1, 0, 0, 1, 40, 0))),
  Text: reads("text"),
  Image: shown,
  FlatList: of("in the list", reads("of a list")),
  createAnimatedComponent: both(of("shade", tapped("shaded")), draws({ opacity: "0.5" })),
  colours: draws({ backgroundColor: "rgb(0, 0, 255)" }),
  ...Object.fromEntries(easings.map((name) => [`Easing.${name}`, moves(`Easing.${name}`)]))
}

const layoutAnimation: Table = Object.fromEntries(
  [
    "Presets.easeInEaseOut",
    "Presets.linear",
    "Presets.spring",
    "create: opacity",
    "create: scaleXY",
    "configureNext"
  ].map((name, at) => [name, both(tapped(`ended ${name}`), of(`made ${at + 1}`, shown))])
)

export const motion: Readonly<Record<string, Table>> = { animated, "layout-animation": layoutAnimation }
