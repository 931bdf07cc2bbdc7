/** A component of a tree to be laid out: a text where it has one. */
export interface Tree {
  readonly style: Readonly<Record<string, string | number>>
  readonly text?: string
  readonly children: ReadonlyArray<Tree>
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
const randomOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const words = "the tide turns at noon and a small boat puts out to sea with nets ropes and a lamp".split(" ")

/** A tree of up to a few dozen components, with the styles that layout depends on. */
export const randomTree = (seed: number): Tree => {
  const random = randomOf(seed)
  const of = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)] as A
  const points = (most: number) => Math.round(random() * most * 2) / 2
  const length = (most: number): number | string => (random() < 0.25 ? `${Math.round(random() * 100)}%` : points(most))
  const sometimes = (chance: number, values: () => Tree["style"]): Tree["style"] => (random() < chance ? values() : {})
  const edges = ["", "Top", "Right", "Bottom", "Left", "Horizontal", "Vertical", "Start", "End"]

  const style = (): Tree["style"] => ({
    ...sometimes(0.5, () => ({ flexDirection: of(["row", "column", "row-reverse", "column-reverse"]) })),
    ...sometimes(0.4, () => ({
      justifyContent: of(["flex-start", "center", "flex-end", "space-between", "space-around", "space-evenly"])
    })),
    ...sometimes(0.4, () => ({ alignItems: of(["flex-start", "center", "flex-end", "stretch"]) })),
    ...sometimes(0.2, () => ({ alignSelf: of(["auto", "flex-start", "center", "flex-end", "stretch"]) })),
    ...sometimes(0.2, () => ({ flexWrap: of(["wrap", "nowrap", "wrap-reverse"]) })),
    ...sometimes(0.15, () => ({
      alignContent: of(["flex-start", "center", "flex-end", "stretch", "space-between", "space-around"])
    })),
    ...sometimes(0.25, () => ({ flex: of([1, 2, 0.5]) })),
    ...sometimes(0.2, () => ({ flexGrow: points(3) })),
    ...sometimes(0.2, () => ({ flexShrink: points(3) })),
    ...sometimes(0.15, () => ({ flexBasis: length(120) })),
    ...sometimes(0.35, () => ({ width: length(300) })),
    ...sometimes(0.35, () => ({ height: length(200) })),
    ...sometimes(0.1, () => ({ minWidth: length(120) })),
    ...sometimes(0.1, () => ({ maxWidth: length(300) })),
    ...sometimes(0.1, () => ({ minHeight: length(80) })),
    ...sometimes(0.1, () => ({ maxHeight: length(200) })),
    ...sometimes(0.1, () => ({ aspectRatio: of([1, 1.5, 0.5, 16 / 9]) })),
    ...sometimes(0.2, () => ({ [`margin${of(edges)}`]: points(20) })),
    ...sometimes(0.05, () => ({ [`margin${of(edges)}`]: "auto" })),
    ...sometimes(0.3, () => ({ [`padding${of(edges)}`]: points(20) })),
    ...sometimes(0.15, () => ({ [`border${of(["", "Top", "Right", "Bottom", "Left"])}Width`]: points(6) })),
    ...sometimes(0.15, () => ({ [of(["gap", "rowGap", "columnGap"])]: points(16) })),
    ...sometimes(0.08, () => ({ direction: of(["ltr", "rtl"]) })),
    ...sometimes(0.03, () => ({ display: "none" })),
    ...sometimes(0.1, () => ({
      position: "absolute",
      [of(["left", "right", "start", "end"])]: length(40),
      [of(["top", "bottom"])]: length(40)
    })),
    ...sometimes(0.08, () => ({ position: "relative", left: points(10), top: points(10) }))
  })

  const node = (depth: number): Tree => {
    if (depth > 0 && random() < 0.25) {
      const text = Array.from({ length: 1 + Math.floor(random() * 14) }, () => of(words)).join(" ")
      return { style: { ...style(), fontSize: of([11, 14, 17, 22]) }, text, children: [] }
    }
    const count = depth >= 4 ? 0 : Math.floor(random() * 5)
    return { style: style(), children: Array.from({ length: count }, () => node(depth + 1)) }
  }
  return { ...node(0), style: { width: 390, height: 844 } }
}
