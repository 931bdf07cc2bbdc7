/** The tab of a replay's page in which elements of the app are inspected. It asks for what it shows, while it is open. */
import { bringIntoView, make, part, setText } from "../ui/dom.ts"
import type { Inspected, InspectorRequest, Item, Section, TreeKind } from "./message.ts"

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

// The tab with the requests of the app. While it is open, it asks for them again with every sign of life.

export const makeNetworkTab = (section: HTMLElement, request: (request: InspectorRequest) => void) => {
  const panel = part(section, ".panel.network", HTMLElement)
  const save = part(panel, "button", HTMLButtonElement)
  const list = part(panel, "ul", HTMLElement)
  const none = part(panel, ".none", HTMLElement)
  const dropped = part(panel, ".dropped", HTMLElement)
  const shown = new Map<
    number,
    { readonly item: HTMLElement; readonly state: HTMLElement; readonly about: HTMLElement }
  >()
  let isSaving = false

  const add = (id: number, name: string) => {
    const item = make("li")
    const [details, summary, about] = [make("details"), make("summary"), make("div")]
    const state = make("span", "detail")
    summary.append(make("code", "", name), state)
    details.append(summary, about)
    details.addEventListener("toggle", () => {
      if (details.open) request({ ask: "exchange", id })
    })
    item.append(details)
    list.append(item)
    const made = { item, state, about }
    shown.set(id, made)
    return made
  }

  const onInspected = ({ id, items, left, of, sections, text }: Inspected): void => {
    if (panel.hidden) return
    if (of === "exchanges") {
      const ids = new Set(items.map((item) => item.id))
      for (const [old, { item }] of shown) {
        if (ids.has(old)) continue
        item.remove()
        shown.delete(old)
      }
      for (const item of items) setText((shown.get(item.id) ?? add(item.id, item.name)).state, item.detail)
      none.hidden = items.length > 0
      save.disabled = items.length === 0
      dropped.hidden = left === 0
      setText(dropped, `${left.toLocaleString("en")} earlier requests are no longer there.`)
    } else if (of === "exchange") {
      shown.get(id)?.about.replaceChildren(...sections.map(sectionOf))
    } else if (of === "archive" && isSaving) {
      isSaving = false
      const link = make("a")
      link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }))
      link.download = "replay.har"
      link.click()
      URL.revokeObjectURL(link.href)
    }
  }

  save.addEventListener("click", () => {
    isSaving = true
    request({ ask: "archive" })
  })

  const look = (): void => {
    if (!panel.hidden) request({ ask: "exchanges" })
  }

  return {
    onInspected,
    onPulse: look,
    opened: look,
    clear: (): void => {
      shown.clear()
      list.replaceChildren()
      none.hidden = false
      dropped.hidden = true
      save.disabled = true
      isSaving = false
    }
  }
}

// The tab with what the app stores. While it is open, it asks for it again with every sign of life.

export const makeStorageTab = (section: HTMLElement, request: (request: InspectorRequest) => void) => {
  const panel = part(section, ".panel.storage", HTMLElement)
  const none = part(panel, ".none", HTMLElement)
  const list = part(panel, ".stores", HTMLElement)
  let last = ""

  const look = (): void => {
    if (!panel.hidden) request({ ask: "stores" })
  }

  return {
    onInspected: ({ of, sections }: Inspected): void => {
      if (of !== "stores" || panel.hidden) return
      const now = JSON.stringify(sections)
      // What is selected or folded stays so until something changes.
      if (now === last) return
      last = now
      list.replaceChildren(...sections.map(sectionOf))
      none.hidden = sections.length > 0
    },
    onPulse: look,
    opened: look,
    clear: (): void => {
      last = ""
      list.replaceChildren()
      none.hidden = false
    }
  }
}

// A tree whose nodes are asked for when their parent is opened. Arrow keys move in it.

/** The most nodes that are shown: an app could have any number. */
const maxNodes = 5000

/** How many nodes are opened in a row where each is the only one. */
const maxOpened = 60

interface Shown {
  readonly item: HTMLLIElement
  readonly group: HTMLUListElement
  readonly depth: number
  isAsked: boolean
}

const makeTree = (
  list: HTMLElement,
  on: {
    /** The children of a node are needed. */
    readonly asked: (id: number) => void
    readonly selected: (id: number) => void
    /** The mouse is at a node; at none with 0. */
    readonly pointed: (id: number) => void
  }
) => {
  const nodes = new Map<number, Shown>()
  let selected: number | undefined
  let wanted: ReadonlyArray<number> = []
  let opened = 0

  const idAt = (target: EventTarget | null): number | undefined => {
    const id = target instanceof Element ? target.closest("li")?.dataset["id"] : undefined
    return id === undefined ? undefined : Number(id)
  }

  const select = (id: number, isFocused: boolean): void => {
    const before = selected === undefined ? undefined : nodes.get(selected)?.item
    const now = nodes.get(id)?.item
    if (now === undefined) return
    if (before !== undefined) {
      before.ariaSelected = "false"
      before.tabIndex = -1
    }
    list.querySelector("li[tabindex='0']")?.setAttribute("tabindex", "-1")
    now.ariaSelected = "true"
    now.tabIndex = 0
    selected = id
    if (isFocused) now.focus({ preventScroll: true })
    bringIntoView(list, now.firstElementChild instanceof HTMLElement ? now.firstElementChild : now)
    on.selected(id)
  }

  const isOpen = (id: number): boolean => nodes.get(id)?.item.ariaExpanded === "true"

  const open = (id: number): void => {
    const node = nodes.get(id)
    if (node === undefined || node.item.ariaExpanded === null) return
    node.item.ariaExpanded = "true"
    node.group.hidden = false
    if (node.isAsked) return
    node.isAsked = true
    on.asked(id)
  }

  const close = (id: number): void => {
    const node = nodes.get(id)
    if (node === undefined) return
    node.item.ariaExpanded = "false"
    node.group.hidden = true
  }

  /** Opens the way to the wanted node as far as it is known; the rest follows with the answers. */
  const advance = (): void => {
    const next = wanted.find((id) => !nodes.has(id))
    const known = wanted.filter((id) => nodes.has(id))
    if (next !== undefined && known.length === 0) return
    const last = known.at(-1)
    for (const id of next === undefined ? known.slice(0, -1) : known) open(id)
    if (next !== undefined || last === undefined) return
    wanted = []
    select(last, false)
  }

  const add = (to: HTMLElement, depth: number, item: Item): void => {
    if (nodes.has(item.id) || nodes.size >= maxNodes) return
    const element = make("li")
    element.role = "treeitem"
    element.dataset["id"] = String(item.id)
    element.tabIndex = nodes.size === 0 ? 0 : -1
    element.ariaLevel = String(depth)
    element.ariaSelected = "false"
    if (item.hasChildren) element.ariaExpanded = "false"
    const row = make("div", "row")
    row.style.setProperty("--depth", String(Math.min(depth, 40)))
    row.append(make("span", "name", item.name), make("span", "detail", item.detail))
    const group = make("ul")
    group.role = "group"
    group.hidden = true
    element.append(row, ...(item.hasChildren ? [group] : []))
    to.append(element)
    nodes.set(item.id, { item: element, group, depth, isAsked: false })
  }

  const keys: Readonly<Record<string, (id: number, shown: ReadonlyArray<number>, at: number) => number | undefined>> = {
    ArrowDown: (_, shown, at) => shown[at + 1],
    ArrowUp: (_, shown, at) => shown[at - 1],
    Home: (_, shown) => shown[0],
    End: (_, shown) => shown.at(-1),
    ArrowRight: (id, shown, at) => {
      if (isOpen(id)) return shown[at + 1]
      open(id)
      return undefined
    },
    ArrowLeft: (id) => {
      if (!isOpen(id)) return idAt(nodes.get(id)?.item.parentElement ?? null)
      close(id)
      return undefined
    }
  }

  list.addEventListener("click", (event) => {
    const id = idAt(event.target)
    if (id === undefined) return
    opened = 0
    if (!isOpen(id)) open(id)
    else if (id === selected) close(id)
    select(id, true)
  })
  list.addEventListener("keydown", (event) => {
    const id = idAt(event.target)
    const key = keys[event.key]
    if (id === undefined || key === undefined) return
    event.preventDefault()
    opened = 0
    const shown = [...list.querySelectorAll<HTMLLIElement>("li")]
      .filter((item) => item.closest("ul[hidden]") === null)
      .map(({ dataset }) => Number(dataset["id"]))
    const next = key(id, shown, shown.indexOf(id))
    if (next !== undefined) select(next, true)
  })
  list.addEventListener("pointerover", (event) => on.pointed(idAt(event.target) ?? 0))
  list.addEventListener("pointerleave", () => on.pointed(selected ?? 0))

  return {
    /** Shows the children of a node; of the root with 0. */
    fill: (id: number, items: ReadonlyArray<Item>, left: number): void => {
      const parent = nodes.get(id)
      const to = parent?.group ?? list
      const depth = parent === undefined ? 1 : parent.depth + 1
      for (const item of items) add(to, depth, item)
      if (left > 0) {
        const more = make("li", "more", `${left.toLocaleString("en")} more are not shown.`)
        more.role = "none"
        to.append(more)
      }
      const [only, ...others] = items
      if (wanted.length > 0) advance()
      else if (only !== undefined && others.length === 0 && only.hasChildren && opened++ < maxOpened) open(only.id)
    },
    /** Opens the way to a node, and selects it. */
    reveal: (path: ReadonlyArray<number>): void => {
      wanted = path
      advance()
    },
    clear: (): void => {
      nodes.clear()
      list.replaceChildren()
      selected = undefined
      wanted = []
      opened = 0
    },
    selected: (): number | undefined => selected,
    isEmpty: (): boolean => nodes.size === 0
  }
}

/** A section that is a list, and not named values. */
const listed = "Component stack"

const listOf = ({ rows }: Section): HTMLElement => {
  const list = make("ol", "stack")
  list.append(...rows.map(([, name]) => make("li", "", name)))
  return list
}

const valuesOf = ({ rows }: Section): HTMLElement => {
  const list = make("dl")
  for (const [name, value] of rows) list.append(make("dt", "", name), make("dd", "", value))
  return list
}

/** A section that can be folded. All of its text comes from the app. */
const sectionOf = (section: Section): HTMLElement => {
  const element = make("details")
  element.open = true
  element.append(make("summary", "", section.title), section.title === listed ? listOf(section) : valuesOf(section))
  return element
}
