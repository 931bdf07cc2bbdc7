/** What Node 20 lacks of the language, for programs that are bundled for it. Each is used only where the engine has none. */

const missing = (of: object, name: string, value: unknown): void => {
  if (!(name in of)) Object.defineProperty(of, name, { value, configurable: true, writable: true })
}

missing(Map, "groupBy", <Item, Key>(items: Iterable<Item>, keyOf: (item: Item, index: number) => Key) => {
  const groups = new Map<Key, Array<Item>>()
  let index = 0
  for (const item of items) {
    const key = keyOf(item, index++)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return groups
})

// Every character is written by its code, which needs no knowledge of what is special where.
missing(RegExp, "escape", (text: string) =>
  text.replaceAll(/[^\p{L}\p{N}]|^./gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
    ).join("")
  )
)

missing(URL, "parse", (text: string, base?: string) => (URL.canParse(text, base) ? new URL(text, base) : null))
