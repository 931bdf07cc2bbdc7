const ascii = (text: string): ReadonlyArray<number> => Array.from(text, (character) => character.charCodeAt(0))

/** The first bytes of bundles that no browser can run, and the kind of each. */
const magics: ReadonlyArray<readonly [begins: ReadonlyArray<number>, what: string]> = [
  [
    [0xc6, 0x1f, 0xbc, 0x03, 0xc1, 0x03, 0x19, 0x1f],
    "It is Hermes bytecode, which only the Hermes engine runs. Upload the JavaScript that it was compiled from:\n" +
      "npx react-native bundle --platform ios --dev false --entry-file index.js --bundle-output main.jsbundle --assets-dest .\n" +
      "or, with Expo:\n" +
      "npx expo export --platform ios --no-bytecode"
  ],
  [
    [0xe5, 0xd1, 0x0b, 0xfb],
    "It is an indexed RAM bundle, which only React Native on a device reads. Upload a plain bundle."
  ],
  [[0x1f, 0x8b], "It is gzip, but was not declared as such: by its content type, or by Content-Encoding with the PUT."],
  [ascii("PK\x03\x04"), "It is a ZIP archive, as APK, AAB and IPA files are, and not JavaScript."],
  [[0x00, ...ascii("asm")], "It is WebAssembly, and not JavaScript."]
]

/** Explains why a bundle that begins with these bytes can't run in a browser; `undefined` if it may be worth trying. */
export const unsupportedFormat = (start: Uint8Array): string | undefined => {
  if (start.byteLength === 0) return "It is empty."
  const known = magics.find(([begins]) => begins.every((byte, index) => start[index] === byte))
  if (known !== undefined) return known[1]
  const text = new TextDecoder().decode(start)
  // UTF-16 is text, although it contains zero bytes.
  if (text.includes("\0") && !/^(?:\xff\xfe|\xfe\xff)/.test(String.fromCharCode(...start.subarray(0, 2)))) {
    return "It is binary, and not JavaScript."
  }
  // JavaScript may begin with `<!--`, which opens a comment, and with no other `<`.
  return /^\s*<(?!!--)/.test(text) ? "It is HTML or XML, and not JavaScript." : undefined
}
