/** The tour's list of 10,000 rows for those that the phone is measured beside, in the same run. */
import { build } from "esbuild"
import { join } from "node:path"

const stations = join(import.meta.dirname, "..", "..", "phone", "fixtures", "apps", "tour", "stations")

/** The same list by react-native-web. */
export const rowsForTheWeb = async (): Promise<string> => {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { AppRegistry } from "react-native"
        import { ListStation } from "./ListStation.jsx"
        AppRegistry.registerComponent("Rows", () => ListStation)
        AppRegistry.runApplication("Rows", { rootTag: document.getElementById("root") })`,
      resolveDir: stations,
      loader: "jsx"
    },
    alias: { "react-native": "react-native-web" },
    bundle: true,
    define: { "process.env.NODE_ENV": '"production"' },
    format: "iife",
    jsx: "automatic",
    minify: true,
    write: false
  })
  return outputFiles[0]?.text ?? ""
}

/** All of the rows as elements of the browser's own, which exists immediately and is never redrawn. */
export const plainRows = `
const list = document.createElement("div")
list.dataset.testid = "list"
list.style.cssText = "flex: 1; overflow-y: auto"
for (let at = 0; at < 10000; at++) {
  const row = document.createElement("div")
  row.dataset.testid = "row-" + at
  row.style.cssText = "height: 44px; padding: 0 16px; display: flex; align-items: center; justify-content: space-between; border-bottom: 1px solid #c8ccd0; box-sizing: border-box; font: 14px sans-serif"
  row.innerHTML = "<span>Row " + at + "</span><span>›</span>"
  list.append(row)
}
document.getElementById("root").append(list)
`
