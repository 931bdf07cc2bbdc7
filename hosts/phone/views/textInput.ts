/** Fields for text. */
import { type Fields, fieldsIn, numberIn, textIn } from "../runtime/decode.ts"
import { color } from "../style/color.ts"
import { type Component, type Drawing, element, type ComponentContext } from "./Component.ts"
import { measureText } from "./text.ts"

/** A field for a line of text. */
export const singleLineInput: Component = (context) => make(context, document.createElement("input"), false)

/** A field for several lines, which grows with its text. */
export const multilineInput: Component = (context) => make(context, document.createElement("textarea"), true)

const make = (context: ComponentContext, field: Field, isMultiline: boolean): Drawing => {
  const sample = element("text")
  /** How often a person changed the text: an app's value for an earlier count is outdated. */
  let changes = 0
  let height = 0

  field.className = "input"
  const write = (value: string): void => {
    if (field.value === value) return
    const { selectionEnd, selectionStart } = field
    const wasAtEnd = selectionEnd === field.value.length
    field.value = value
    if (document.activeElement !== field || wasAtEnd) return
    field.setSelectionRange(selectionStart, selectionEnd)
  }

  const state = (): Fields => ({ text: field.value, eventCount: changes, target: context.tag })

  const grown = (): void => {
    if (isMultiline) context.resized()
  }

  field.addEventListener("input", () => {
    changes += 1
    context.emit("topChange", state())
    grown()
  })
  field.addEventListener("focus", () => {
    const props = context.props()
    if (props["clearTextOnFocus"] === true) write("")
    if (props["selectTextOnFocus"] === true) field.select()
    context.emit("topFocus", state())
  })
  field.addEventListener("blur", () => {
    context.emit("topEndEditing", state())
    context.emit("topBlur", state())
  })
  const selection = { start: -1, end: -1 }
  const selected = (): void => {
    const [start, end] = [field.selectionStart ?? 0, field.selectionEnd ?? 0]
    if (start === selection.start && end === selection.end) return
    Object.assign(selection, { start, end })
    context.emit("topSelectionChange", { selection: { start, end }, target: context.tag })
  }
  for (const name of ["select", "keyup", "pointerup", "focus", "input"]) field.addEventListener(name, selected)
  field.addEventListener("keydown", (event) => {
    if (!(event instanceof KeyboardEvent) || event.isComposing) return
    if (event.key.length === 1 || /^(?:Backspace|Enter|Tab)$/.test(event.key)) {
      context.emit("topKeyPress", { key: event.key, eventCount: changes, target: context.tag })
    }
    if (event.key !== "Enter") return
    if (field.value === "" && context.props()["enablesReturnKeyAutomatically"] === true) {
      event.preventDefault()
      return
    }
    const behavior = textIn(context.props()["submitBehavior"]) ?? (isMultiline ? "newline" : "blurAndSubmit")
    if (behavior === "newline") return
    event.preventDefault()
    context.emit("topSubmitEditing", state())
    if (behavior === "blurAndSubmit") field.blur()
  })

  field.addEventListener("contextmenu", (event) => {
    if (context.props()["contextMenuHidden"] === true) event.preventDefault()
  })
  if (isMultiline) {
    field.addEventListener("scroll", () => {
      context.emit("topScroll", { contentOffset: { x: field.scrollLeft, y: field.scrollTop }, target: context.tag })
    })
  }

  /** Whether it hides what is typed, has a button that empties it, or neither. */
  const typeOf = (props: Fields): string => {
    if (props["secureTextEntry"] === true) return "password"
    return (textIn(props["clearButtonMode"]) ?? "never") === "never" ? "text" : "search"
  }

  const update = (props: Fields, before: Fields): void => {
    const text = textIn(props["text"])
    const count = numberIn(props["mostRecentEventCount"]) ?? 0
    if (text !== undefined && text !== before["text"] && count >= changes) write(text)
    field.placeholder = textIn(props["placeholder"]) ?? ""
    field.readOnly = props["editable"] === false
    const most = numberIn(props["maxLength"])
    if (most === undefined) field.removeAttribute("maxlength")
    else field.maxLength = Math.max(0, most)
    if (field instanceof HTMLInputElement) field.type = typeOf(props)
    field.inputMode =
      props["showSoftInputOnFocus"] === false ? "none" : (modes[textIn(props["keyboardType"]) ?? ""] ?? "")
    field.setAttribute("autocorrect", props["autoCorrect"] === false ? "off" : "on")
    field.enterKeyHint = enterKeys[textIn(props["returnKeyType"]) ?? ""] ?? ""
    field.dataset["enter"] = textIn(props["returnKeyLabel"]) ?? ""
    field.autocapitalize = textIn(props["autoCapitalize"]) ?? "sentences"
    field.spellcheck = props["spellCheck"] !== false && props["autoCorrect"] !== false
    field.setAttribute("autocomplete", contents[textIn(props["textContentType"]) ?? ""] ?? "off")
    field.dataset["accessory"] = textIn(props["inputAccessoryViewID"]) ?? ""
    const { style } = field
    const paint = props["placeholderTextColor"]
    if (paint !== before["placeholderTextColor"]) style.setProperty("--placeholder", color(paint) || "#3c3c434c")
    const tint = color(props["selectionColor"])
    style.caretColor = props["caretHidden"] === true ? "transparent" : tint
    style.setProperty("--selection", tint === "" ? "" : `color-mix(in srgb, ${tint} 30%, transparent)`)
    if (isMultiline) style.overflow = props["scrollEnabled"] === false ? "hidden" : ""
    const lines = isMultiline ? (numberIn(props["numberOfLines"]) ?? 0) : 0
    sample.style.cssText =
      lines > 0 ? `display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:${lines}` : ""
    for (const name of metrics) Reflect.set(sample.style, name, Reflect.get(style, name))
    sample.style.setProperty("--text-size", style.getPropertyValue("--text-size"))
    const wanted = fieldsIn(props["selection"])
    const start = numberIn(wanted["start"])
    if (props["selection"] !== before["selection"] && start !== undefined) {
      field.setSelectionRange(start, numberIn(wanted["end"]) ?? start)
    }
    if (props["autoFocus"] === true && before["autoFocus"] === undefined) requestAnimationFrame(() => field.focus())
    grown()
  }

  return {
    element: field,
    update,
    measure: (room) => {
      const shown = field.value === "" ? field.placeholder : field.value
      // An empty last line is as high as any other.
      sample.textContent = shown === "" || shown.endsWith("\n") ? `${shown}\u200B` : shown
      if (!isMultiline) {
        sample.style.whiteSpace = "pre"
        const size = measureText(sample, undefined)
        return { width: Math.min(size.width, room ?? size.width), height: size.height }
      }
      const size = measureText(sample, room)
      if (size.height !== height) {
        height = size.height
        context.emit("topContentSizeChange", { contentSize: size, target: context.tag })
      }
      return size
    },
    commands: {
      focus: () => field.focus(),
      blur: () => field.blur(),
      setTextAndSelection: (count, text, start, end) => {
        if (Number(count) < changes) return
        if (typeof text === "string") write(text)
        const from = numberIn(start) ?? -1
        if (from >= 0) field.setSelectionRange(from, numberIn(end) ?? from)
        grown()
      }
    },
    unmounted: () => sample.remove()
  }
}

/** The properties by which a text is as wide and as high as it is. */
const metrics = [
  "fontSize",
  "fontFamily",
  "fontWeight",
  "fontStyle",
  "letterSpacing",
  "lineHeight",
  "textTransform"
] as const

type Field = HTMLInputElement | HTMLTextAreaElement

/** Which keys a phone shows for a field, by what React Native calls a keyboard. */
export const modes: Readonly<Record<string, string>> = {
  numeric: "numeric",
  "number-pad": "numeric",
  "decimal-pad": "decimal",
  "phone-pad": "tel",
  "email-address": "email",
  url: "url",
  "web-search": "search"
}

/** What the key is called that ends a line. */
const enterKeys: Readonly<Record<string, string>> = {
  done: "done",
  go: "go",
  next: "next",
  previous: "previous",
  search: "search",
  google: "search",
  send: "send"
}

/** What a browser may fill in, by what iOS calls the content of a field. */
const contents: Readonly<Record<string, string>> = {
  URL: "url",
  addressCity: "address-level2",
  addressState: "address-level1",
  countryName: "country-name",
  creditCardNumber: "cc-number",
  emailAddress: "email",
  familyName: "family-name",
  fullStreetAddress: "street-address",
  givenName: "given-name",
  middleName: "additional-name",
  name: "name",
  newPassword: "new-password",
  nickname: "nickname",
  oneTimeCode: "one-time-code",
  organizationName: "organization",
  password: "current-password",
  postalCode: "postal-code",
  streetAddressLine1: "address-line1",
  streetAddressLine2: "address-line2",
  telephoneNumber: "tel",
  username: "username"
}
