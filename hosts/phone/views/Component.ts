/** What a component of the phone is. */
import type { Node } from "yoga-layout/load"
import type { Fields } from "../runtime/decode.ts"
import type { Notes } from "../runtime/notes.ts"
import type { Lottie } from "../runtime/optionalScripts.ts"

/** What draws the components of one name. */
export type Component = (own: Own) => Drawing

/** What a component knows of what is around it. */
export interface Own {
  readonly tag: number
  readonly name: string
  /** Its properties as they are now. */
  readonly props: () => Fields
  /** Tells the app an event of it. */
  readonly emit: (event: string, payload: Fields) => void
  /** Its size has changed by itself, or what it says of its shape. */
  readonly resized: () => void
  /** Where on the page an image or a font of the app is: addresses to be tried one after another. */
  readonly assetUrls: (uri: string) => ReadonlyArray<string>
  /** Loads the player of Lottie animations, if the page provides it. */
  readonly loadLottie?: (() => Promise<Lottie>) | undefined
  /** Lays out the views that stand within this text. */
  readonly layOutInline: () => void
  /** The component that it stands in. */
  readonly parent: () => Own | undefined
  readonly notes: Notes
}

/** One component as it is drawn. */
export interface Drawing {
  readonly element: HTMLElement | SVGElement
  /** What stands in the document, where that is no element: text. */
  readonly node?: ChildNode
  /** What holds its children, where that isn't `element` itself. */
  readonly host?: Element
  /** Draws what isn't style: called at first, with nothing before, and with every change. */
  readonly update?: (props: Fields, before: Fields) => void
  /** It is going to be measured, and others with it: all are prepared before the first is. */
  readonly prepare?: () => void
  /** How large it is by its content. Who answers this has no children that are laid out. */
  readonly measure?: (room: Room) => Size
  /** Says of its shape what its style doesn't; called after every change of the style. */
  readonly shape?: (node: Node, props: Fields) => void
  /** It has been laid out. */
  readonly laidOut?: (box: Box) => void
  /** The commands of the app. */
  readonly commands?: Readonly<Record<string, (...values: ReadonlyArray<unknown>) => void>>
  /** The children that it has now, in their order. */
  readonly childrenChanged?: (children: ReadonlyArray<Own>) => void
  readonly unmounted?: () => void
  /** Whether its children are text. */
  readonly isText?: boolean
  /** Whether it stands above everything, and not within its parent. */
  readonly isOverlay?: boolean
  /** Whether its own place is given it by what is drawn around it, and not by the layout. */
  readonly isPlaced?: boolean
}

/** Where something is in its parent, in points. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** How wide something may be, in points; `undefined` for as wide as it likes. */
export type Room = number | undefined

/** An element of a class, with elements in it. */
export const element = (name: string, ...children: ReadonlyArray<Element>): HTMLElement => {
  const made = document.createElement("div")
  made.className = name
  made.append(...children)
  return made
}

/** A component with the properties and the events of another. */
export const adapted =
  (component: Component, toProps: (props: Fields) => Fields, toEvent: ToEvent): Component =>
  (own) => {
    const drawn = component({
      ...own,
      props: () => toProps(own.props()),
      emit: (name, payload) => own.emit(...toEvent(name, payload))
    })
    return { ...drawn, update: (props, before) => drawn.update?.(toProps(props), toProps(before)) }
  }

/** An event as another component has it. */
type ToEvent = (name: string, payload: Fields) => readonly [name: string, payload: Fields]

/** A component's name without what the renderer may put before it. */
export const shortName = (name: string): string => name.replace(/^RCT(?=[A-Z])/, "")
