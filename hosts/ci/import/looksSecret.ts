/** Which variables and files are secrets, by their names. */
import { extname } from "node:path"

/** Words that stand in the name of a secret wherever they stand in it. */
const within = /passw|passphrase|passcode|secret|token|credential|authori[sz]ation|(?:api|access|private|signing)_?key/

/** Words too short to be looked for within others: `KEYBOARD` and `AUTHOR` are no secrets. */
const words = new Set(
  "pass pwd pw key pin otp totp auth jwt bearer cert cookie session salt seed mnemonic cvv cvc ssn iban pat psk dsn".split(
    " "
  )
)

/** Whether a variable of this name counts as a secret: `API_KEY`, `userPassword`, `DB_PASS`. */
export const looksSecret = (name: string): boolean => {
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
