/** Hides the text that a test typed, and its secret variables, in everything that is sent. */
import { extname } from "node:path"
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
interface MaskedNames {
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

// Which variables and files are secrets, by their names.

/** Words that stand in the name of a secret wherever they stand in it. */
const within = /passw|passphrase|passcode|secret|token|credential|authori[sz]ation|(?:api|access|private|signing)_?key/

/** Words too short to be looked for within others: `KEYBOARD` and `AUTHOR` are no secrets. */
const words = new Set(
  "pass pwd pw key pin otp totp auth jwt bearer cert cookie session salt seed mnemonic cvv cvc ssn iban pat psk dsn".split(
    " "
  )
)

/** Whether a variable of this name counts as a secret: `API_KEY`, `userPassword`, `DB_PASS`. */
const looksSecret = (name: string): boolean => {
  const split = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/)
  return within.test(name.toLowerCase()) || split.some((word) => words.has(word) || word.endsWith("pass"))
}

/** Endings of keys, stores of keys, and files of settings that hold passwords. */
const secretEndings = new Set(
  (
    "pem key p8 p12 pfx pkcs12 jks keystore truststore bks ppk kdb kdbx asc gpg pgp age der env netrc htpasswd " +
    "mobileprovision provisionprofile tfstate tfvars ovpn"
  ).split(" ")
)

/** Words that files of secrets are called by: `credentials.json`, `prod-secrets.yaml`, `accessTokens.json`. */
const secretWords = new Set(
  (
    "secret secrets credential credentials password passwords passwd passphrase apikey apikeys privatekey token tokens jwt " +
    "keystore truststore kubeconfig htpasswd netrc npmrc pypirc pgpass gitconfig env shadow vault tfstate wireguard " +
    "rsa dsa ecdsa ed25519"
  ).split(" ")
)
const secretWordEnd = /(?:secret|credential|password|token|apikey|privatekey)s?$/

/** Folders that hold nothing else. */
const secretFolders = new Set(
  "secret secrets credentials private keys certs certificates vault ssh aws gnupg".split(" ")
)

/** Files that hold keys of services or of a signature, whatever else they are called. */
const secretFile =
  /^(?:(?:keys?|cookies?|storage[-_]?state)(?:\.|$)|id_(?:rsa|dsa|ecdsa|ed25519)|authorized_keys|known_hosts|(?:local|key|gradle|signing|release|sentry)\.properties|google-?services?(?:-info)?[-_.]|firebase-adminsdk|wp-config\.php|auth\.json|appsettings|master\.key|my\.cnf|wg\d+\.conf|azureprofile)|service[-_]?account|adminsdk|(?:api|access|private|server|client|firebase|deploy|ssh|host|service|signing|encryption)[-_ ]?key|client[-_]secret/

/** Letters that look like Latin ones. Others are letters with marks or of another width, which decompose into Latin ones. */
const lookAlikes: Readonly<Record<string, string>> = Object.fromEntries(
  [..."аеорсухіѕјһԁӏкмтвнαεορνκιυτχı"].map((letter, index) => [
    letter,
    [..."aeopcyxisjhdlkmtbhaeopvkiutxi"][index] ?? ""
  ])
)

/** A name as a reader sees it, so that none is spelled around the patterns. */
const asSeen = (name: string): string =>
  name
    .normalize("NFKD")
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/gu, "")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[^\0-\x7f]/gu, (letter) => lookAlikes[letter] ?? letter)
    .trim()
    .replace(/[.~\s]+$/, "")

/** Nothing that is seen on a screen is a file of secrets. */
const pictures = new Set(".png .jpg .jpeg .webp .gif .mp4 .mov .webm".split(" "))

/** Whether a file of this path is never sent: dot-files, what lies in folders of such a name, and files of keys and settings. */
export const isSecretFile = (path: string): boolean => {
  const segments = path.split(/[\\/]/).filter((segment) => segment !== "" && segment !== "." && segment !== "..")
  const seen = segments.map(asSeen)
  if (seen.some((segment) => segment.startsWith("."))) return true
  const name = seen.at(-1) ?? ""
  if (pictures.has(extname(name))) return false
  const [stem = "", ...endings] = name.split(".")
  const words = [stem, ...endings].flatMap((part) => part.split(/[^a-z\d]+/))
  return (
    seen.slice(0, -1).some((segment) => secretFolders.has(segment)) ||
    // Also `server.key.bak`.
    endings.some((ending) => secretEndings.has(ending)) ||
    secretFile.test(name) ||
    secretFile.test(name.replaceAll("_", "")) ||
    words.some((word) => secretWords.has(word) || secretWordEnd.test(word))
  )
}
