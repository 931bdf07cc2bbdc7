/** Hides what a test typed, and the variables that it was given, wherever they would be sent. */
import sanitize from "sanitize-filename"

/** What stands in the place of a secret. */
export const hidden = "•••"

/** Too common to be a secret, and in every other line of a log. */
const common = new Set(["true", "false", "null", "undefined", "none", "android", "ios", "localhost"])

/** Below this length a value is hidden only where it stands alone between quotation marks: it would be found everywhere. */
const shortest = 4

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)

const asXml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** A value in the forms in which it stands in messages, logs, JSON, URLs and file names. */
const formsOf = (value: string): ReadonlyArray<string> => {
  const inFileName = sanitize(value, { replacement: "_" }).replaceAll("$", "_")
  return [
    value,
    ...value.split(/[\r\n]+/),
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    encodeURIComponent(value.toWellFormed()).replaceAll("%20", "+"),
    asXml(value),
    asXml(value).replaceAll('"', "&quot;"),
    inFileName,
    inFileName.replaceAll(/\s+/g, "_")
  ].filter((form) => form.trim().length >= shortest)
}

/** Hides values in texts, and counts the places. */
export interface Mask {
  /** From now on this value is hidden. */
  readonly hide: (value: string) => void
  /** The text without the hidden values. */
  readonly text: (text: string) => string
  /** How many values there are to hide, and in how many places one was hidden. */
  readonly counts: () => { readonly values: number; readonly places: number }
}

const quoted = /(["'“‘])([^"'”’]{1,3})(["'”’])/g

export const makeMask = (): Mask => {
  const values = new Set<string>()
  let pattern: RegExp | undefined
  let places = 0

  const compiled = (): RegExp => {
    const forms = [...new Set([...values].flatMap(formsOf))].toSorted((one, other) => other.length - one.length)
    // A pattern that never matches, where there is nothing to hide.
    return new RegExp(forms.length === 0 ? "(?!)" : forms.map(escaped).join("|"), "g")
  }

  return {
    hide: (value) => {
      if (value.trim() === "" || common.has(value.toLowerCase()) || values.has(value)) return
      values.add(value)
      pattern = undefined
    },
    text: (text) => {
      pattern ??= compiled()
      const count = () => {
        places += 1
        return hidden
      }
      return text
        .replaceAll(pattern, count)
        .replaceAll(quoted, (whole, open: string, value: string, close: string) =>
          values.has(value) ? `${open}${count()}${close}` : whole
        )
    },
    counts: () => ({ values: values.size, places })
  }
}
