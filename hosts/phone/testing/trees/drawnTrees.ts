/** Runs in a browser: random trees are drawn by the phone, changed, drawn again, and compared with Yoga alone. */
import type { ShadowNode } from "../../fabric/ShadowNode.ts"
import type { ShadowTree } from "../../fabric/ShadowTree.ts"
import { bareSurface } from "./bareSurface.ts"
import type { Counted, Compared } from "./compareTrees.ts"
import { randomTree } from "./randomTree.ts"
import { makeYogaAlone, type Rect } from "./yogaAlone.ts"

/** What a browser draws no larger and no further away, in points: some trees come to billions. */
const most = 2 ** 24

const edges = ["x", "y", "width", "height"] as const

/** How many components of a tree are there, and which of them are off by more than half a pixel. */
const count = (tree: ShadowNode, drawn: ShadowTree, places: ReadonlyMap<ShadowNode["family"], Rect>): Counted => {
  const off: Array<string> = []
  let [nodes, texts] = [0, 0]
  const look = ({ children, family, props }: ShadowNode): void => {
    const place = places.get(family)
    if (place === undefined || props["display"] === "none") return
    if (edges.every((edge) => Math.abs(place[edge]) < most)) {
      nodes += 1
      if (family.name === "Text") texts += 1
      const box = drawn.byFamily.get(family)?.drawing.element.getBoundingClientRect()
      if (box === undefined || edges.some((edge) => Math.abs(box[edge] - place[edge]) > 0.5)) {
        off.push(`${family.name} ${JSON.stringify(props)}: ${JSON.stringify(box)} and not ${JSON.stringify(place)}`)
      }
    }
    if (family.name !== "Text") children.forEach(look)
  }
  look(tree)
  return { nodes, texts, off }
}

const sum = (all: ReadonlyArray<Counted>): Counted => ({
  nodes: all.reduce((before, { nodes }) => before + nodes, 0),
  texts: all.reduce((before, { texts }) => before + texts, 0),
  off: all.flatMap(({ off }) => off)
})

const run = async (trees: number): Promise<Compared> => {
  const surface = await bareSurface()
  const alone = await makeYogaAlone(getComputedStyle(surface.element).fontFamily)
  const all = Array.from({ length: trees }, (_, index) => {
    const { changed, tree } = randomTree(index + 1)
    const ask = alone()
    const draw = (node: ShadowNode): Counted => {
      surface.commit([node])
      return count(node, surface.tree, ask(node))
    }
    return { drawn: draw(tree), changed: draw(changed) }
  })
  return { drawn: sum(all.map(({ drawn }) => drawn)), changed: sum(all.map(({ changed }) => changed)) }
}

Object.assign(globalThis, { compareTrees: run })
