import { build } from "esbuild"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import type { Tree } from "./randomTrees.ts"

/** A bundle that draws trees by React Native's native interface alone, each named by its place: `3-0` is the third's root. */
export const treesBundle = (trees: ReadonlyArray<Tree>): string => `/* nativeLoggingHook */
globalThis.RN$AppRegistry = {
  getAppKeys: () => ["Trees"],
  runApplication: (_, { rootTag }) => {
    const fabric = nativeFabricUIManager
    let tag = 100
    const made = (name, props) => fabric.createNode((tag += 2), name, rootTag, props, {})
    const draw = ({ children, style, text }, name) => {
      let count = 0
      const one = ({ children, style, text }) => {
        const testID = name + "-" + count++
        const node = made(text === undefined ? "RCTView" : "RCTText", { ...style, testID })
        if (text !== undefined) fabric.appendChild(node, made("RCTRawText", { text }))
        for (const child of children) fabric.appendChild(node, one(child))
        return node
      }
      return one({ children, style, text })
    }
    const set = fabric.createChildSet(rootTag)
    const trees = ${JSON.stringify(trees)}
    trees.forEach((tree, index) => {
      const around = made("RCTView", { position: "absolute", left: 0, top: 0, width: 390, height: 844 })
      fabric.appendChild(around, draw(tree, String(index)))
      fabric.appendChildToSet(set, around)
    })
    fabric.completeRoot(rootTag, set)
  }
}
`

const aloneScript = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "yogaAlone.ts")],
    bundle: true,
    write: false,
    format: "iife",
    define: { "import.meta.url": '""' }
  })
  return outputFiles[0]?.text ?? ""
}

/** What a browser draws no larger and no further away, in points: some trees come to billions. */
const most = 2 ** 24

/** How the drawn trees differ from those of Yoga alone. */
export interface Compared {
  readonly nodes: number
  readonly texts: number
  /** Those that are off by more than half a pixel, each with where it should be and where it is. */
  readonly off: ReadonlyArray<string>
}

/** Compares where each component of the trees is on the page with where Yoga has it by itself. */
export const compareTrees = async (browser: Browser, url: string, trees: ReadonlyArray<Tree>): Promise<Compared> => {
  // The screen as the browser was started for it: where it is emulated, borders are of whole points.
  const page = await browser.newPage({ viewport: null })
  try {
    await page.goto(url)
    await page.getByTestId(`${trees.length - 1}-0`).waitFor({ state: "attached" })
    await page.addScriptTag({ content: await aloneScript() })
    return await page.evaluate(
      async ({ most, trees }) => {
        const family = getComputedStyle(document.querySelector("#root") ?? document.body).fontFamily
        const alone: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>> = await Reflect.get(window, "yogaAlone")(
          trees,
          family
        )
        const off: Array<string> = []
        let [nodes, texts] = [0, 0]
        const look = (tree: Tree, name: string, next: { at: number }, isHidden: boolean): void => {
          const index = next.at
          next.at += 1
          const isGone = isHidden || tree.style["display"] === "none"
          const element = document.querySelector(`[data-testid="${name}-${index}"]`)
          const expected = alone[Number(name)]?.[index] ?? []
          if (!isGone && expected.every((value) => Math.abs(value) < most)) {
            nodes += 1
            if (tree.text !== undefined) texts += 1
            const box = element?.getBoundingClientRect()
            const seen = box === undefined ? [] : [box.x, box.y, box.width, box.height]
            if (
              seen.length === 0 ||
              seen.some((value, place) => Math.abs(value - (expected[place] ?? Infinity)) > 0.5)
            ) {
              off.push(`${name}-${index}${tree.text === undefined ? "" : " (text)"}: ${expected} is at ${seen}`)
            }
          }
          for (const child of tree.children) look(child, name, next, isGone)
        }
        for (const [index, tree] of trees.entries()) look(tree, String(index), { at: 0 }, false)
        return { nodes, texts, off }
      },
      { most, trees }
    )
  } finally {
    await page.close()
  }
}
