/** How a text looks on a terminal. */
export type Look = "good" | "bad" | "warning" | "faint" | "strong"

/** Characters that a terminal or a browser acts on, and those that XML can't hold; not tabs and line ends. */
export const unseen = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu

/**
 * Anyone's text, fit to be read: control characters, marks that turn the direction of writing, characters that nobody
 * sees and halves of characters become `\u202e` and the like, as in JSON. Every report shows foreign text through this.
 */
export const visible = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replace(unseen, (character) =>
      Array.from(
        { length: character.length },
        (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`
      ).join("")
    )

/** Letters that look like those of Latin, and marks that are joined to the letter before them. */
const alike = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Mn}\uff01-\uff5e]/gu

/** Shows the code points of characters in words that look as if they had only Latin letters, or others than they have. */
export const withCodePoints = (text: string): string =>
  text.replaceAll(/[\p{L}\p{M}\p{N}_]+/gu, (word) =>
    /[a-z]/i.test(word)
      ? word.replaceAll(
          alike,
          (one) => `${one}[U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`
        )
      : word
  )

/** The same without line ends. */
export const oneLine = (text: string): string => visible(text).replaceAll(/\s+/g, " ").trim()

/** The text, or its beginning and how much was left out when it is longer than this. */
export const excerpt = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, most)}… (${(text.length - most).toLocaleString("en-GB")} characters more)`

/** A text quoted as one word for a shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
