/**
 * The beginning of a text where there is no room for more of it than `length` characters. What is behind isn't looked at,
 * however long the text is.
 */
export const shortText = (text: string, length: number): string => {
  // A character takes two units at most.
  const characters = Array.from(text.slice(0, 2 * length))
  return characters.length <= length && text.length <= 2 * length
    ? text
    : `${characters.slice(0, length - 1).join("")}…`
}
