/** Hides the text that a test typed, and its secret variables, in everything that is sent. */
import sanitize from "sanitize-filename"
import { looksSecret } from "./looksSecret.ts"

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

/**
 * Patterns of a value in base64, also as a part of what was encoded, as the password is in `Authorization: Basic`. Where it
 * begins among three bytes decides on its characters; those at its ends hold bits of its neighbours, too.
 */
const base64Of = (value: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(value)
  return [0, 1, 2].flatMap((before) => {
    const bits = (before + bytes.length) * 8
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64")
    const whole = text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6))
    if (whole.length < shortest) return []
    const [head, tail] = [before === 0 ? "" : "[\\w+/-]?", bits % 6 === 0 ? "" : "[\\w+/-]?={0,2}"]
    const forms = new Set([whole, whole.replaceAll("+", "-").replaceAll("/", "_")])
    return Array.from(forms, (form) => `${head}${escaped(form)}${tail}`)
  })
}

/** The names of variables that the user decided on. */
export interface MaskedNames {
  /** Secrets, whatever they are called. */
  readonly hidden?: ReadonlyArray<string>
  /** No secrets, whatever they are called, also where a test types them. */
  readonly shown?: ReadonlyArray<string>
}

/** Hides values in texts, and counts the places. */
export interface Mask {
  /** From now on this value is hidden. */
  readonly hide: (value: string) => void
  /** From now on the value of this variable is hidden, if its name looks like that of a secret or the user named it. */
  readonly hideVariable: (name: string, value: string) => void
  /** The names that the user wants hidden and no variable has. */
  readonly unknownNames: () => ReadonlyArray<string>
  /** The text without the hidden values. */
  readonly text: (text: string) => string
  /** How many values there are to hide, and in how many places one was hidden. */
  readonly counts: () => { readonly values: number; readonly places: number }
}

const isLong = (value: string): boolean => value.trim().length >= shortest

const quoted = /(["'“‘])([^"'”’]{1,3})(["'”’])/g

export const makeMask = ({ hidden: hiddenNames = [], shown = [] }: MaskedNames = {}): Mask => {
  const secrets = new Set<string>()
  const typed = new Set<string>()
  const plain = new Set<string>()
  const unknown = new Set(hiddenNames)
  let values: ReadonlySet<string> | undefined
  let pattern = /(?!)/g
  let places = 0

  const compiled = (): ReadonlySet<string> => {
    if (values !== undefined) return values
    values = new Set([...secrets, ...[...typed].filter((value) => !plain.has(value))])
    const forms = [...new Set([...values].flatMap(formsOf))].toSorted((one, other) => other.length - one.length)
    const sources = [...forms.map(escaped), ...[...values].filter(isLong).flatMap(base64Of)]
    // A pattern that never matches, where there is nothing to hide.
    pattern = new RegExp(sources.length === 0 ? "(?!)" : sources.join("|"), "g")
    return values
  }

  const add = (to: Set<string>, value: string) => {
    if (value.trim() === "" || common.has(value.toLowerCase()) || to.has(value)) return
    to.add(value)
    values = undefined
  }

  return {
    hide: (value) => add(typed, value),
    hideVariable: (name, value) => {
      unknown.delete(name)
      if (shown.includes(name)) add(plain, value)
      else if (hiddenNames.includes(name) || looksSecret(name)) add(secrets, value)
    },
    unknownNames: () => [...unknown],
    text: (text) => {
      const all = compiled()
      const count = () => {
        places += 1
        return hidden
      }
      return text
        .replaceAll(pattern, count)
        .replaceAll(quoted, (whole, open: string, value: string, close: string) =>
          all.has(value) ? `${open}${count()}${close}` : whole
        )
    },
    counts: () => ({ values: compiled().size, places })
  }
}
