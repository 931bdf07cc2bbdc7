/** Runs in a browser: a list of so many rows, each with a text, is drawn at once; or components of one kind. */
import { shadowNode, type ShadowNode } from "../../fabric/ShadowNode.ts"
import type { Fields } from "../../runtime/decode.ts"
import { bareSurface } from "./bareSurface.ts"

let last = 0

const node = (name: string, props: Fields, children: Array<ShadowNode>): ShadowNode => {
  last += 1
  return shadowNode({ tag: last, name, handle: {} }, props, children)
}

const row = (_: unknown, at: number): ShadowNode =>
  node("View", { flexDirection: "row" }, [node("Text", {}, [node("RawText", { text: `Row ${at}` }, [])])])

const drawRows = async (rows: number): Promise<void> => {
  const surface = await bareSurface()
  surface.commit([node("View", {}, Array.from({ length: rows }, row))])
}

const drawEach = async (name: string, all: ReadonlyArray<Fields>): Promise<void> => {
  const surface = await bareSurface()
  surface.commit([
    node(
      "View",
      {},
      all.map((props) => node(name, props, []))
    )
  ])
}

Object.assign(globalThis, { drawRows, drawEach })
