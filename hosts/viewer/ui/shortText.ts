/** The first `length` characters of a text. The rest isn't examined, however long the text is. */
export const shortText = (text: string, length: number): string => {
  // A character has two units at most.
  const characters = Array.from(text.slice(0, 2 * length))
  return characters.length <= length && text.length <= 2 * length
    ? text
    : `${characters.slice(0, length - 1).join("")}…`
}
