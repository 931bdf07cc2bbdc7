import type { ShadowNode } from "../../fabric/ShadowNode.ts"

type Style = Readonly<Record<string, string | number>>

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

let lastTag = 100
const family = (name: string) => ({ tag: (lastTag += 2), name, handle: undefined })

/** A tree of up to a few dozen components, with the styles that layout depends on; and the same tree after a change. */
export const randomTree = (seed: number): { readonly tree: ShadowNode; readonly changed: ShadowNode } => {
  const random = randomOf(seed)
  const of = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)] as A
  const points = (most: number) => Math.round(random() * most * 2) / 2
  const length = (most: number): number | string => (random() < 0.25 ? `${Math.round(random() * 100)}%` : points(most))
  const sometimes = (chance: number, values: () => Style): Style => (random() < chance ? values() : {})
  const edges = ["", "Top", "Right", "Bottom", "Left", "Horizontal", "Vertical", "Start", "End"]

  const style = (): Style => ({
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
    // A browser draws borders of whole pixels of the screen alone.
    ...sometimes(0.15, () => ({ [`border${of(["", "Top", "Right", "Bottom", "Left"])}Width`]: Math.round(points(6)) })),
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

  const text = (): ShadowNode => {
    const characters = Array.from({ length: 1 + Math.floor(random() * 14) }, () => of(words)).join(" ")
    return {
      family: family("Text"),
      props: { ...style(), fontSize: of([11, 14, 17, 22]) },
      children: [{ family: family("RawText"), props: { text: characters }, children: [] }]
    }
  }

  const node = (depth: number, props = style()): ShadowNode => {
    if (depth > 0 && random() < 0.25) return text()
    const count = depth >= 4 ? 0 : Math.floor(random() * 5)
    return { family: family("View"), props, children: Array.from({ length: count }, () => node(depth + 1)) }
  }

  /** Other styles here and there, other children now and then. */
  const changed = ({ children, family, props }: ShadowNode, depth: number): ShadowNode => {
    if (family.name === "Text") return { family, props, children }
    const now = children.filter(() => random() >= 0.15).map((child) => changed(child, depth + 1))
    if (depth < 3 && random() < 0.2) now.push(node(depth + 1))
    return { family, props: depth > 0 && random() < 0.4 ? style() : props, children: now }
  }

  const tree = node(0, { width: 390, height: 844 })
  return { tree, changed: changed(tree, 0) }
}
