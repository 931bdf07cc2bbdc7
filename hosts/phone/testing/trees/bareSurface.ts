import { makeEvents } from "../../fabric/events.ts"
import { makeShadowTree } from "../../fabric/ShadowTree.ts"
import { makeSurface, type Surface } from "../../fabric/surface.ts"
import { makeLayout } from "../../layout/yoga.ts"
import { makeCalls } from "../../runtime/calls.ts"
import { makeNotes } from "../../runtime/notes.ts"
import { components } from "../../views/registry.ts"
import { sheet } from "../../views/sheet.ts"

/** Runs in a browser: what draws an app, in a page where nothing else is. */
export const bareSurface = async (): Promise<Surface> => {
  const style = document.createElement("style")
  style.textContent = sheet
  document.head.append(style)
  const root = document.createElement("div")
  root.className = "phone"
  document.body.replaceChildren(root)
  const notes = makeNotes(root)
  const tree = makeShadowTree()
  return makeSurface({
    tree,
    root,
    yoga: await makeLayout(),
    events: makeEvents(tree, makeCalls(reportError), notes),
    notes,
    components: new Map(Object.entries(components)),
    assetUrls: (uri) => [uri]
  })
}
