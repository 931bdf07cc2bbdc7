/** Which variables and files are secrets, by their names. */
import { basename, extname } from "node:path"

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

/** Words that files of secrets are called by: `credentials.json`, `prod-secrets.yaml`. */
const secretWords = new Set(
  (
    "secret secrets credential credentials password passwords passwd passphrase apikey apikeys privatekey token tokens " +
    "keystore truststore kubeconfig htpasswd netrc npmrc pypirc env shadow vault tfstate"
  ).split(" ")
)

/** Folders that hold nothing else. */
const secretFolders = new Set(
  "secret secrets credentials private keys certs certificates vault ssh aws gnupg".split(" ")
)

/** Files that hold keys of services or of a signature, whatever else they are called. */
const secretFile =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|authorized_keys|known_hosts|(?:local|key|gradle|signing|release|sentry)\.properties|google-services\.json|googleservice-info\.plist|firebase-adminsdk|wp-config\.php|auth\.json|appsettings|master\.key)|service[-_]?account|adminsdk|api[-_]key|access[-_]key|private[-_]key|client[-_]secret/

/** Nothing that is seen on a screen is a file of secrets. */
const pictures = new Set(".png .jpg .jpeg .webp .gif .mp4 .mov .webm".split(" "))

/** Whether a file of this path is never sent: dot-files, what lies in folders of such a name, and files of keys and settings. */
export const isSecretFile = (path: string): boolean => {
  const segments = path.toLowerCase().split(/[\\/]/)
  const isHidden = segments.some((segment) => segment.startsWith(".") && segment !== "." && segment !== "..")
  if (isHidden) return true
  const name = segments.at(-1) ?? ""
  if (pictures.has(extname(name))) return false
  return (
    segments.slice(0, -1).some((segment) => secretFolders.has(segment)) ||
    secretEndings.has(extname(name).slice(1)) ||
    secretFile.test(name) ||
    basename(name, extname(name))
      .split(/[^a-z\d]+/)
      .some((word) => secretWords.has(word))
  )
}
