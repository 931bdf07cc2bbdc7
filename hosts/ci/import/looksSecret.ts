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
