/** The properties of texts and of fields, and the keyboard for them. */
import { until } from "./App.ts"
import {
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
  measures,
  moveTo,
  neverReports,
  of,
  otherwise,
  reads,
  red,
  reports,
  shown,
  type Table,
  tap,
  tapped,
  types,
  wheel
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

const scaled = draws({ fontSize: "14px" })

const input: Table = {
  autoFocus: reports("autoFocus"),
  allowFontScaling: scaled,
  maxFontSizeMultiplier: scaled,
  autoCapitalize: has({ autocapitalize: "words" }),
  autoComplete: has({ autocomplete: "email" }),
  autoCorrect: has({ spellcheck: "false", autocorrect: "off" }),
  caretHidden: draws({ caretColor: "rgba(0, 0, 0, 0)" }),
  clearButtonMode: both(clickAt(208, 16), reports("cleared “”"), holds({ value: "" })),
  clearTextOnFocus: both(clickAt(5, 5), holds({ value: "" })),
  contextMenuHidden: both(
    async (app, testID) => {
      await app
        .at(testID)
        .evaluate((one) =>
          one.addEventListener("contextmenu", (event) => one.setAttribute("data-menu", String(event.defaultPrevented)))
        )
      await app.at(testID).click({ button: "right" })
    },
    has({ "data-menu": "true" })
  ),
  dataDetectorTypes: otherwise("links in a field aren't found"),
  defaultValue: holds({ value: "at first" }),
  disableKeyboardShortcuts: otherwise("the keyboard is one's own"),
  editable: holds({ readOnly: true }),
  enablesReturnKeyAutomatically: both(types("Enter"), neverReports("submitted empty")),
  enterKeyHint: has({ enterkeyhint: "send" }),
  inputAccessoryViewID: both(clickAt(5, 5), of("the accessory", shown), types("Tab"), of("the accessory", hidden)),
  inputAccessoryViewButtonLabel: otherwise("the bar above the keyboard has its own button"),
  inputMode: has({ inputmode: "decimal" }),
  keyboardAppearance: otherwise("the keyboard is one's own"),
  keyboardType: has({ inputmode: "email" }),
  lineBreakModeIOS: otherwise("a field's text is cut at its edge"),
  lineBreakStrategyIOS: otherwise("lines are broken as the browser does"),
  maxLength: both(types("a", "b", "c", "d", "e"), holds({ value: "abcd" })),
  multiline: holds({ tagName: "TEXTAREA" }),
  numberOfLines: measures(220, 65),
  rows: measures(220, 45),
  passwordRules: otherwise("no password is proposed"),
  placeholder: holds({ placeholder: "What is your name?" }),
  placeholderTextColor: draws({ color: red }, undefined, "::placeholder"),
  readOnly: holds({ readOnly: true }),
  rejectResponderTermination: shown,
  returnKeyType: has({ enterkeyhint: "search" }),
  scrollEnabled: draws({ overflowY: "hidden" }),
  secureTextEntry: holds({ type: "password" }),
  selectTextOnFocus: both(tap, holds({ selectionStart: 0, selectionEnd: 9 })),
  selection: holds({ selectionStart: 2, selectionEnd: 5 }),
  selectionColor: both(draws({ caretColor: red }), draws({ backgroundColor: /srgb 1 0 0/ }, undefined, "::selection")),
  showSoftInputOnFocus: both(clickAt(5, 5), focused(), async ({ frame }) => {
    await frame.getByRole("button", { name: "Close the keyboard" }).waitFor({ state: "detached" })
  }),
  smartInsertDelete: otherwise("spaces are as they were typed"),
  spellCheck: has({ spellcheck: "false" }),
  style: draws({ fontSize: "25px", color: red }),
  textAlign: draws({ textAlign: "center" }),
  textContentType: has({ autocomplete: "one-time-code" }),
  onLayout: reports("onLayout 220"),
  onPressIn: of("handlers", both(clickAt(5, 5), reports("onPressIn"))),
  onPressOut: reports("onPressOut"),
  onFocus: reports("onFocus"),
  onKeyPress: of(
    "handlers",
    types("x", "y", "Backspace"),
    reports("onKeyPress x", "onKeyPress y", "onKeyPress Backspace")
  ),
  onChange: reports("onChange xy"),
  onChangeText: reports("onChangeText xy", "onChangeText x"),
  onSelectionChange: reports("onSelectionChange 2-2"),
  onSubmitEditing: of("handlers", types("Enter"), reports("onSubmitEditing x")),
  onEndEditing: reports("onEndEditing x"),
  onBlur: reports("onBlur"),
  value: both(types("End", "b", "c"), holds({ value: "ABC" })),
  blurOnSubmit: both(types("Enter"), reports("blurOnSubmit"), focused()),
  submitBehavior: both(types("Enter"), reports("submitBehavior"), focused()),
  onContentSizeChange: both(types("a", "Enter", "b"), reports("onContentSizeChange 40")),
  onScroll: both(wheel(0, 40), reports("onScroll")),
  isFocused: both(tapped("focused true"), of("methods", focused())),
  setSelection: both(tap, of("methods", holds({ selectionStart: 3, selectionEnd: 7 }))),
  clear: both(tap, of("methods", holds({ value: "" }))),
  focus: of("methods", focused()),
  blur: both(tap, of("methods", focused(false)))
}

/** Shows one of the ways in which the keyboard is avoided, and types into its field. */
const avoids =
  (...seen: ReadonlyArray<Claim>): Claim =>
  async (app, name) => {
    await app.tap(name)
    const field = `field of ${name}`
    await app.at(field).click()
    await app.frame.getByRole("button", { name: "Close the keyboard" }).waitFor()
    await both(...seen)(app, field)
    await app.frame.getByRole("button", { name: "Close the keyboard" }).click()
    await focused(false)(app, field)
  }

/**
 * How much below the field the screen ends: the height of the keyboard, less what stands above the view that avoids it,
 * since that knows its place in its parent only.
 */
const above =
  (way: string, keyboardHeight: number): Claim =>
  (app, testID) =>
    until(app, async () => {
      const room = await app.at(testID).evaluate((one) => window.innerHeight - one.getBoundingClientRect().bottom)
      const top = await app.at(`avoids by ${way}`).evaluate((one) => one.getBoundingClientRect().top)
      const wanted = Math.max(0, keyboardHeight - top)
      return Math.abs(room - wanted) < 2 ? undefined : `it is ${room} above the edge, and not ${wanted}`
    })

const keyboard: Table = {
  "behavior: padding": avoids(above("behavior: padding", 291)),
  "behavior: height": avoids(above("behavior: height", 291)),
  "behavior: position": avoids(above("behavior: position", 291)),
  contentContainerStyle: of(
    "behavior: position",
    tap,
    of("avoids by behavior: position", draws({ backgroundColor: red }, "div"))
  ),
  enabled: avoids(above("enabled", 0)),
  keyboardVerticalOffset: avoids(above("keyboardVerticalOffset", 341))
}

export const fields: Readonly<Record<string, Table>> = { input, keyboard }
