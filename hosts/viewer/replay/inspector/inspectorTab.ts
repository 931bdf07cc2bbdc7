/** The tab of a replay's page in which elements of the app are inspected. It asks for what it shows, while it is open. */
import { make, part } from "../../ui/dom.ts"
import type { Inspected, InspectorRequest, TreeKind } from "./inspectorMessages.ts"
import { sectionOf } from "./sections.ts"
import { makeTree } from "./tree.ts"

export const makeInspectorTab = (section: HTMLElement, request: (request: InspectorRequest) => void) => {
  const panel = part(section, ".panel.inspector", HTMLElement)
  const pick = part(panel, "button[data-do=pick]", HTMLButtonElement)
  const choice = part(panel, "select", HTMLSelectElement)
  const none = part(panel, ".none", HTMLElement)
  const list = part(panel, ".tree", HTMLElement)
  const node = part(panel, ".node", HTMLElement)
  /** The nodes whose children were asked for. */
  const asked = new Set<number>()
  let isPicking = false
  let isDrawn = false
  let turn = 0

  const kind = (): TreeKind => (choice.value === "accessibility" ? "accessibility" : "components")

  const ask = (id: number): void => {
    asked.add(id)
    request({ ask: "children", id, tree: kind(), turn })
  }

  const tree = makeTree(list, {
    asked: ask,
    selected: (id) => {
      request({ ask: "mark", id })
      request({ ask: "details", id })
    },
    pointed: (id) => request({ ask: "mark", id })
  })

  const setPicking = (isWanted: boolean): void => {
    if (isPicking !== isWanted) request({ ask: "pick", isPicking: isWanted, tree: kind() })
    isPicking = isWanted
    pick.ariaPressed = String(isWanted)
  }

  const clear = (): void => {
    turn += 1
    tree.clear()
    asked.clear()
    list.hidden = true
    node.hidden = true
    none.hidden = false
    isPicking = false
    isDrawn = false
    pick.ariaPressed = "false"
  }

  const refresh = (): void => {
    setPicking(false)
    request({ ask: "mark", id: 0 })
    clear()
    ask(0)
  }

  /** Asks once there is something to show, and only while somebody looks. */
  const look = (): void => {
    if (isDrawn && !panel.hidden && tree.isEmpty() && !asked.has(0)) ask(0)
  }

  const onInspected = ({ id, items, left, of, path, sections, turn: answered }: Inspected): void => {
    if (of === "children" && answered === turn && asked.delete(id)) {
      tree.fill(id, items, left)
      list.hidden = tree.isEmpty()
      none.hidden = !tree.isEmpty()
    } else if (of === "details" && id === tree.selected()) {
      node.replaceChildren(
        ...(sections.length === 0
          ? [make("p", "", "It is no longer there. Refresh the tree.")]
          : sections.map(sectionOf))
      )
      node.hidden = false
    } else if (of === "picked" && isPicking) {
      isPicking = false
      pick.ariaPressed = "false"
      pick.focus()
      tree.reveal(path)
    }
  }

  pick.addEventListener("click", () => setPicking(!isPicking))
  part(panel, "button[data-do=refresh]", HTMLButtonElement).addEventListener("click", refresh)
  choice.addEventListener("change", refresh)
  panel.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") setPicking(false)
  })

  return {
    onInspected,
    onPulse: (isDrawnNow: boolean): void => {
      isDrawn = isDrawnNow
      look()
    },
    opened: look,
    /** The app was loaded again, and knows none of its nodes any more. */
    clear,
    /** The tab was left. */
    left: (): void => {
      setPicking(false)
      if (!tree.isEmpty()) request({ ask: "mark", id: 0 })
    }
  }
}
