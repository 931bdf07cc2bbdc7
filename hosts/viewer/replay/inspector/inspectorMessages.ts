/** The messages about what an app is made of, asks and stores, between a page and the app's frame. */

/** Which tree: of React's components, or of what a screen reader finds. */
export type TreeKind = "components" | "accessibility"

const asks = ["children", "details", "picked", "exchanges", "exchange", "archive", "stores"] as const

/** What the page asks of the frame. `id` is that of a node; 0 is the root, and nothing where something is marked or picked. */
export type InspectorRequest =
  /** `turn` comes back with the answer: an answer for a tree that is no longer shown is ignored. */
  | { readonly ask: "children"; readonly id: number; readonly tree: TreeKind; readonly turn: number }
  | { readonly ask: "details"; readonly id: number }
  /** Marks a node in the app. */
  | { readonly ask: "mark"; readonly id: number }
  /** Whether the next press in the app picks a node, instead of reaching the app. */
  | { readonly ask: "pick"; readonly isPicking: boolean; readonly tree: TreeKind }
  /** The requests of the app, as items; one of them, as sections; all of them, as the text of an HTTP archive. */
  | { readonly ask: "exchanges" }
  | { readonly ask: "exchange"; readonly id: number }
  | { readonly ask: "archive" }
  /** What the app stores, as sections. */
  | { readonly ask: "stores" }

/** A node of a tree. */
export interface Item {
  readonly id: number
  readonly name: string
  readonly detail: string
  readonly hasChildren: boolean
}

/** Named values under a title. */
export interface Section {
  readonly title: string
  readonly rows: ReadonlyArray<readonly [name: string, value: string]>
}

/**
 * What the frame answers. It may be the app that answers: the page shows it as text, trusts none of it, and ignores what it
 * didn't ask for.
 */
export interface Inspected {
  readonly kind: "inspected"
  readonly of: (typeof asks)[number]
  readonly id: number
  readonly turn: number
  readonly items: ReadonlyArray<Item>
  /** How many more there are. */
  readonly left: number
  readonly sections: ReadonlyArray<Section>
  /** The nodes from the root to a picked one; empty where picking ended without one. */
  readonly path: ReadonlyArray<number>
  readonly text: string
}

/** Limits of an answer: of its lists, and the characters of a name, of a value, of all sections and of an archive. */
export const mostInspected = {
  items: 200,
  sections: 40,
  rows: 200,
  path: 1000,
  name: 200,
  value: 4000,
  sectionText: 1_000_000,
  text: 16_000_000
}

const own = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined

const textIn = (value: unknown, most: number): string => (typeof value === "string" ? value.slice(0, most) : "")

const countIn = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0

const listIn = <A>(value: unknown, most: number, decode: (one: unknown) => A): ReadonlyArray<A> =>
  Array.isArray(value) ? value.slice(0, most).map(decode) : []

const itemIn = (value: unknown): Item => ({
  id: countIn(own(value, "id")),
  name: textIn(own(value, "name"), mostInspected.name),
  detail: textIn(own(value, "detail"), mostInspected.name),
  hasChildren: own(value, "hasChildren") === true
})

const sectionsIn = (value: unknown): ReadonlyArray<Section> => {
  let left = mostInspected.sectionText
  const text = (one: unknown, most: number): string => {
    const found = textIn(one, Math.min(most, left))
    left -= found.length
    return found
  }
  return listIn(value, mostInspected.sections, (section) => ({
    title: text(own(section, "title"), mostInspected.name),
    rows: listIn(own(section, "rows"), mostInspected.rows, (row) => [
      text(own(row, "0"), mostInspected.name),
      text(own(row, "1"), mostInspected.value)
    ])
  }))
}

/** Validates an answer of a frame, which may be anything; `undefined` if it isn't one. */
export const decodeInspected = (value: unknown): Inspected | undefined => {
  const of = asks.find((one) => one === own(value, "of"))
  if (own(value, "kind") !== "inspected" || of === undefined) return undefined
  return {
    kind: "inspected",
    of,
    id: countIn(own(value, "id")),
    turn: countIn(own(value, "turn")),
    items: listIn(own(value, "items"), mostInspected.items, itemIn),
    left: countIn(own(value, "left")),
    sections: sectionsIn(own(value, "sections")),
    path: listIn(own(value, "path"), mostInspected.path, countIn),
    text: textIn(own(value, "text"), mostInspected.text)
  }
}
