import type { Calls } from "../runtime/calls.ts"
import type { Notes } from "../runtime/notes.ts"
import { textIn, type AppFunction, type Fields } from "../runtime/decode.ts"
import type { Family, ShadowTree } from "./ShadowTree.ts"
/** How urgent events are for React. */
export const priorities = { discrete: 1, continuous: 4, usual: 16, idle: 64 } as const

const discrete = /Touch|Press|Change|Focus|Blur|Submit|Key|Click|Tap|Select|Dismiss|EndEditing/
const continuous = /Scroll|TouchMove|PointerMove/

const priorityOf = (name: string): number =>
  continuous.test(name) ? priorities.continuous : discrete.test(name) ? priorities.discrete : priorities.usual

/** What people call a component, or the nearest around it that they call something. */
const nameOf = ({ byFamily }: ShadowTree, family: Family): string => {
  for (let at = byFamily.get(family); at !== undefined; at = at.parent) {
    const called = textIn(at.props["testID"]) ?? textIn(at.props["accessibilityLabel"])
    if (called !== undefined) return called
  }
  return family.name
}

/** The listeners that receive an event before the app, as animations do. */
type Listener = (family: Family, name: string, payload: Fields) => void

/** The events of components, which the app receives in order. */
export interface Events {
  readonly emit: (family: Family, name: string, payload: Fields) => void
  /** Sends an event only to the listeners before the app. */
  readonly notify: Listener
  readonly listen: (listener: Listener) => void
  readonly register: (handler: AppFunction) => void
  /** The priority of the event that the app handles now. */
  readonly priority: () => number
}

/**
 * The events that a bundle knows only by the name that a library gave them for React Native's old architecture, by their own
 * names: up to 0.73, its codegen wrote no other into a bundle.
 */
export const paperEventsIn = (bundle: string): ReadonlyMap<string, string> =>
  new Map(
    Array.from(
      bundle.matchAll(/\btopPaper(\w+):/g),
      ([, name = ""]) => [`top${name}`, `topPaper${name}`] as const
    ).filter(([name]) => !bundle.includes(name))
  )

export const makeEvents = (
  tree: ShadowTree,
  calls: Calls,
  notes: Notes,
  paper: ReadonlyMap<string, string> = new Map()
): Events => {
  const listeners: Array<Listener> = []
  let handler: AppFunction | undefined
  let priority: number = priorities.usual
  const notify: Listener = (family, name, payload) => {
    for (const listener of listeners) listener(family, name, payload)
  }
  return {
    notify,
    emit: (family, name, payload) => {
      notify(family, name, payload)
      calls.outside(() => {
        const handles = handler
        if (handles === undefined || family.handle === undefined) return
        const before = priority
        priority = priorityOf(name)
        const call = () =>
          calls.call(handles, family.handle, paper.get(name) ?? name, { target: family.tag, ...payload })
        // A person causes few of them, and their effects matter most.
        if (priority === priorities.discrete)
          notes.during(`It may be in an endless loop: it is handling ${name} of “${nameOf(tree, family)}”.`, call)
        else call()
        priority = before
      })
    },
    listen: (listener) => {
      listeners.push(listener)
    },
    register: (registered) => {
      handler = registered
    },
    priority: () => priority
  }
}
