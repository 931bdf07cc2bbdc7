import { assert, describe, it } from "@effect/vitest"
import {
  commit,
  deepest,
  type Family,
  makeShadowTree,
  type Mounted,
  mountedOf,
  type Renderer,
  shadowNode,
  type ShadowNode
} from "./ShadowTree.ts"
const family = (tag: number): Family => ({ tag, name: "View", handle: {} })

const node = (family: Family, ...children: ReadonlyArray<ShadowNode>): ShadowNode =>
  shadowNode(family, {}, [...children])

/** A tree, and what its renderer was called for, in order. */
const recorded = () => {
  const calls: Array<string> = []
  const call =
    (what: string) =>
    ({ family }: Mounted): void =>
      void calls.push(`${what} ${family.tag}`)
  const renderer: Renderer = {
    create: (node, parent) => {
      const drawn: Partial<Mounted> = {
        family: node.family,
        parent,
        depth: (parent?.depth ?? -1) + 1,
        children: [],
        node
      }
      // A tree reads nothing else of what a renderer makes.
      return drawn as Mounted
    },
    propsChanged: call("props of"),
    childrenChanged: call("children of"),
    detached: call("detached"),
    removed: call("removed"),
    tooDeep: call("too deep")
  }
  const tree = makeShadowTree()
  return {
    tree,
    /** What a commit called the renderer for. */
    commit: (...nodes: ReadonlyArray<ShadowNode>) => {
      calls.length = 0
      commit(tree, renderer, nodes)
      return calls
    }
  }
}

const [a, b, c] = [family(1), family(2), family(3)]

describe("a shadow tree", () => {
  it("draws what is new, and of what stayed only what is another node", () => {
    const { commit, tree } = recorded()
    const kept = node(b)
    assert.deepStrictEqual(commit(node(a, kept)), ["props of 1", "props of 2", "children of 1"])
    assert.deepStrictEqual(commit(node(a, kept, node(c))), ["props of 1", "props of 3", "children of 1"])
    assert.deepStrictEqual([...tree.byTag.keys()], [1, 2, 3])
  })

  it("removes what left from within, before what is new is drawn", () => {
    const { commit, tree } = recorded()
    commit(node(a, node(b)))
    assert.deepStrictEqual(commit(node(c)), ["detached 1", "removed 2", "removed 1", "props of 3"])
    assert.deepStrictEqual([...tree.byTag.keys()], [3])
    assert.isUndefined(mountedOf(tree, node(a)))
  })

  it("finds what moved to another parent where it is now", () => {
    const { commit, tree } = recorded()
    commit(node(a), node(b, node(c)))
    assert.deepStrictEqual(commit(node(a, node(c)), node(b)), [
      "props of 1",
      "props of 3",
      "children of 1",
      "props of 2",
      "detached 3",
      "removed 3",
      "children of 2"
    ])
    assert.strictEqual(mountedOf(tree, node(c))?.parent?.family, a)
    assert.strictEqual(tree.byTag.get(3), mountedOf(tree, node(c)))
  })

  it("draws nothing of what stands in too many others", () => {
    const { commit, tree } = recorded()
    const families = Array.from({ length: deepest + 2 }, (_, at) => family(at + 1))
    const chain = families.reduceRight<ReadonlyArray<ShadowNode>>((within, one) => [node(one, ...within)], [])
    assert.include(commit(...chain), `too deep ${deepest + 1}`)
    assert.strictEqual(tree.byTag.size, deepest + 1)
  })
})
