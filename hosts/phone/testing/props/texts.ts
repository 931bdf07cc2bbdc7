/** Texts. */
import { until } from "../App.ts"
import {
  both,
  clickAt,
  drag,
  draws,
  has,
  hold,
  measures,
  moveTo,
  neverReports,
  of,
  otherwise,
  reads,
  red,
  shown,
  tapped,
  reports,
  type Claim,
  type Table
} from "./claims.ts"

const side = (name: string, value: string) => draws({ [name]: value })

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
  onLayout: reports("onLayout 90×20"),
  onTextLayout: reports("onTextLayout first\n/second"),
  onPress: tapped("onPress"),
  onPressIn: reports("onPressIn"),
  onPressOut: reports("onPressOut"),
  onLongPress: of("onPress", hold(reports("onLongPress"))),
  pressRetentionOffset: both(hold(moveTo(20, 50)), reports("retained")),
  suppressHighlighting: both(
    of("onPress", hold(draws({ boxShadow: /inset/ }))),
    hold(draws({ boxShadow: "none" })),
    reports("suppressed")
  ),
  disabled: both(clickAt(10, 5), tapped("retained"), neverReports("disabled")),
  "onResponder…": of("responder", drag(8, 4), reports("onResponderGrant", "onResponderMove", "onResponderRelease")),
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

export const texts: Readonly<Record<string, Table>> = { text, "text-style": textStyle }
