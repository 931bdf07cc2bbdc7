/** The items by what they have in common, in their order. */
export const groupedBy = <Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key
): ReadonlyMap<Key, ReadonlyArray<Item>> => {
  const groups = new Map<Key, Array<Item>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
