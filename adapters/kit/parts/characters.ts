/** Texts that hold every character that a name may hold, and those that engines often treat wrongly. */

const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code < 0xa0)
const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000

const longest = 1024

/** The characters in their order, cut into names of the greatest length. */
const inNames = (characters: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names: Array<string> = []
  let name = ""
  for (const character of characters) {
    if (name.length + character.length > longest) {
      names.push(name)
      name = ""
    }
    name += character
  }
  return [...names, name]
}

const range = (from: number, to: number, step = 1): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step)
    .filter((code) => !isControl(code) && !isSurrogate(code))
    .map((code) => String.fromCodePoint(code))

/**
 * Names that together hold every allowed character of the basic plane and some of each of the sixteen other planes,
 * including the first and the last. No two begin with the same character.
 */
export const everyCharacter: ReadonlyArray<string> = [
  ...inNames(range(0, 0x1_0000)),
  ...Array.from({ length: 16 }, (_, index) => (index + 1) * 0x1_0000).flatMap((plane) =>
    inNames([...range(plane, plane + 0x1_0000, 0x101), String.fromCodePoint(plane + 0xffff)])
  )
]

/** Short texts of different kinds. No two are equal under any comparison that an engine might use. */
export const awkward: ReadonlyArray<string> = [
  // Characters with a meaning in query languages, templates, paths or patterns.
  `'; DROP TABLE accounts; --`,
  `"quoted" 'text' \`back\` \\ \\\\ \\n \\u0000 \\x00`,
  "100%_of {them} ${all} $1 :name ?1 @a #b",
  "null",
  "NULL",
  "undefined",
  "__proto__",
  "{}",
  "[]",
  "0",
  "-0",
  "1e3",
  "true",
  "%00%2F%0a&amp;&#0;<b>",
  "-- /* */ //",
  // Spaces, also at the ends.
  " ",
  "  ",
  " leading",
  "trailing ",
  "no\u00a0break",
  "ideographic\u3000space",
  "\ufeffmark",
  "line\u2028separator",
  "paragraph\u2029separator",
  // Texts that look equal, or that a language treats as equal, and aren't.
  "caf\u00e9",
  "cafe\u0301",
  "CAF\u00c9",
  "cafe",
  "stra\u00dfe",
  "strasse",
  "STRA\u1e9eE",
  "\u0130stanbul",
  "istanbul",
  "\u0131stanbul",
  "Istanbul",
  "\u212a",
  "K",
  "\ufb01",
  "fi",
  "\uff21",
  "A",
  // Combining characters: first, many, joined, with selectors, invisible.
  "\u0301first",
  `z${"\u0335\u0341\u0362".repeat(100)}algo`,
  "\u{1f469}\u200d\u{1f469}\u200d\u{1f466}",
  "\u{1f469}\u{1f469}\u{1f466}",
  "\u2764\ufe0f",
  "\u2764",
  "soft\u00adhyphen",
  "zero\u200bwidth",
  // Right to left, and reversed.
  "\u05e9\u05dc\u05d5\u05dd",
  "\u0645\u0631\u062d\u0628\u0627 abc \u0661\u0662",
  "\u202egnp.exe\u202c",
  "\u2067isolate\u2069",
  // Around the surrogates, and the last characters of the first and the last plane.
  "\ud7ff\ue000",
  "\ufffe\uffff",
  "\u{10000}\u{1ffff}",
  "\u{e0001}\u{f0000}\u{10ffff}"
]
