/** A tree whose nodes are asked for when their parent is opened. Arrow keys move in it. */
import { bringIntoView, make } from "../../ui/dom.ts"
import type { Item } from "./inspectorMessages.ts"

/** The most nodes that are shown: an app could have any number. */
const mostNodes = 5000

/** How many nodes are opened in a row where each is the only one. */
const mostOpened = 60

interface Shown {
  readonly item: HTMLLIElement
  readonly group: HTMLUListElement
  readonly depth: number
  isAsked: boolean
}

export const makeTree = (
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
    if (nodes.has(item.id) || nodes.size >= mostNodes) return
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
      else if (only !== undefined && others.length === 0 && only.hasChildren && opened++ < mostOpened) open(only.id)
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
