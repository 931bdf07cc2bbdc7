/** What the components of React Native that are looked at come to: views, their styles and places, texts, pictures. */
import {
  attached,
  both,
  clickAt,
  drag,
  draws,
  has,
  hidden,
  hold,
  measures,
  moveTo,
  neverTells,
  of,
  otherwise,
  reads,
  shown,
  stands,
  tap,
  tapped,
  tells,
  transforms,
  until,
  type Claim,
  type Table
} from "./claims.ts"

const red = "rgb(255, 0, 0)"

const view: Table = {
  testID: shown,
  id: has({ id: "by-id" }),
  nativeID: has({ id: "by-native-id" }),
  style: measures(32, 31),
  onLayout: tells("onLayout 16 100×24"),
  hitSlop: both(clickAt(50, 36), tells("hitSlop")),
  pointerEvents: both(clickAt(50, 12), tells("around none"), neverTells("none")),
  "pointerEvents: box-only": of("within-box-only", clickAt(50, 12), tells("box-only true")),
  "pointerEvents: box-none": both(
    of("within-box-none", clickAt(50, 12), tells("within box-none")),
    of("box-none", clickAt(150, 12), tells("around box-none"))
  ),
  removeClippedSubviews: of("not-removed", shown),
  collapsable: attached,
  collapsableChildren: of("kept", shown),
  needsOffscreenAlphaCompositing: draws({ opacity: "0.5" }),
  shouldRasterizeIOS: shown,
  onTouchStart: of("touches", drag(10, 5), tells("onTouchStart")),
  onTouchMove: tells("onTouchMove"),
  onTouchEnd: tells("onTouchEnd"),
  onStartShouldSetResponder: of("responder", drag(10, 5), tells("onStartShouldSetResponder")),
  onResponderStart: tells("onResponderStart"),
  onResponderGrant: tells("onResponderGrant"),
  onResponderMove: tells("onResponderMove"),
  onResponderEnd: tells("onResponderEnd"),
  onResponderRelease: tells("onResponderRelease"),
  onStartShouldSetResponderCapture: of(
    "capture-start",
    tap,
    tells("onStartShouldSetResponderCapture", "captured at start"),
    neverTells("not captured")
  ),
  onMoveShouldSetResponder: of("mover", drag(20, 5), tells("onMoveShouldSetResponder", "granted on a move")),
  onMoveShouldSetResponderCapture: of(
    "robbed",
    drag(20, 5),
    tells("onMoveShouldSetResponderCapture", "captured on a move")
  ),
  onResponderTerminationRequest: tells("onResponderTerminationRequest"),
  onResponderTerminate: tells("onResponderTerminate"),
  onResponderReject: of("stubborn", drag(20, 5), tells("onResponderReject"))
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
    tells("onAccessibilityAction increment"),
    has({ "aria-valuenow": "4" })
  ),
  onAccessibilityAction: tells("onAccessibilityAction increment"),
  onAccessibilityTap: otherwise("a screen reader's gesture"),
  onMagicTap: otherwise("a screen reader's gesture"),
  onAccessibilityEscape: otherwise("a screen reader's gesture"),
  experimental_accessibilityOrder: otherwise("what is read is in the order of what is drawn")
}

const side = (name: string, value: string) => draws({ [name]: value })

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

/** How large its letters are, in points. */
const lettersOf =
  (from: number, to: number): Claim =>
  (app, testID) =>
    until(app, async () => {
      const size = await app.at(testID).evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize))
      return size >= from && size <= to ? undefined : `its letters are ${size} and not ${from} to ${to}`
    })

const text: Table = {
  testID: shown,
  id: has({ id: "a-text" }),
  nativeID: has({ id: "another-text" }),
  children: both(reads("outer inner 1 "), draws({ fontWeight: "700" }, ".span")),
  adjustsFontSizeToFit: both(lettersOf(8, 30), async (app, testID) => {
    const height = await app
      .at(testID)
      .evaluate((one) => one.scrollHeight / Number.parseFloat(getComputedStyle(one).fontSize))
    if (height > 1.6) throw new Error("it is broken into lines")
  }),
  minimumFontScale: lettersOf(32, 32),
  allowFontScaling: lettersOf(20, 20),
  maxFontSizeMultiplier: lettersOf(20, 20),
  dynamicTypeRamp: otherwise("letters aren't scaled: the phone's own size is 1"),
  "ellipsizeMode: head": has({ "data-cut": /^….*sixteen$/ }),
  "ellipsizeMode: middle": has({ "data-cut": /^One .+….+sixteen$/ }),
  "ellipsizeMode: tail": draws({ webkitLineClamp: "1", overflow: "hidden" }),
  "ellipsizeMode: clip": draws({ webkitLineClamp: "none", overflow: "hidden" }),
  numberOfLines: measures(200, 40),
  lineBreakStrategyIOS: draws({ wordBreak: "keep-all" }),
  onLayout: tells("onLayout 90×20"),
  onTextLayout: tells("onTextLayout first\n/second"),
  onPress: tapped("onPress"),
  onPressIn: tells("onPressIn"),
  onPressOut: tells("onPressOut"),
  onLongPress: of("onPress", hold(tells("onLongPress"))),
  pressRetentionOffset: both(hold(moveTo(20, 50)), tells("retained")),
  suppressHighlighting: both(
    of("onPress", hold(draws({ boxShadow: /inset/ }))),
    hold(draws({ boxShadow: "none" })),
    tells("suppressed")
  ),
  disabled: both(clickAt(10, 5), tapped("retained"), neverTells("disabled")),
  "onResponder…": of("responder", drag(8, 4), tells("onResponderGrant", "onResponderMove", "onResponderRelease")),
  role: has({ role: "heading" }),
  accessibilityLabel: has({ "aria-label": "read otherwise", "aria-description": "as a hint" }),
  "aria-label": has({ "aria-label": "read by aria" }),
  selectable: draws({ userSelect: "text" }),
  "a view within": measures(20, 10)
}

const textStyle: Table = {
  color: side("color", red),
  fontFamily: draws({ fontFamily: /Georgia/ }),
  fontSize: side("fontSize", "31px"),
  fontStyle: side("fontStyle", "italic"),
  fontVariant: draws({ fontVariantCaps: "small-caps", fontVariantNumeric: "tabular-nums" }),
  fontWeight: side("fontWeight", "700"),
  letterSpacing: side("letterSpacing", "3px"),
  lineHeight: both(side("lineHeight", "44px"), measures(undefined, 44)),
  textAlign: side("textAlign", "right"),
  textDecorationColor: side("textDecorationColor", red),
  textDecorationLine: side("textDecorationLine", "underline line-through"),
  textDecorationStyle: side("textDecorationStyle", "dashed"),
  textShadowColor: draws({ textShadow: /^rgb\(255, 0, 0\) 1px 1px 2px/ }),
  textShadowOffset: draws({ textShadow: /3px 4px 0px/ }),
  textShadowRadius: draws({ textShadow: /0px 0px 5px/ }),
  textTransform: side("textTransform", "uppercase"),
  userSelect: side("userSelect", "text"),
  writingDirection: side("direction", "rtl"),
  backgroundColor: side("backgroundColor", red),
  borderRadius: side("borderTopLeftRadius", "4px"),
  opacity: side("opacity", "0.5"),
  padding: side("paddingTop", "6px")
}

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
  onLoadStart: tells("onLoadStart"),
  onLoad: tells("onLoad true"),
  onLoadEnd: tells("onLoadEnd"),
  onLayout: tells("onLayout 60"),
  onProgress: otherwise("pictures are there at once"),
  onPartialLoad: otherwise("pictures are there at once"),
  onError: tells("onError string"),
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

export const looks: Readonly<Record<string, Table>> = {
  view,
  accessibility,
  "view-style": viewStyle,
  layout,
  text,
  "text-style": textStyle,
  image
}
