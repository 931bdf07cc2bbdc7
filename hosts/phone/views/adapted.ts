import type { Fields } from "../runtime/decode.ts"
import type { Component } from "./Component.ts"

/** An event as another component has it. */
type ToEvent = (name: string, payload: Fields) => readonly [name: string, payload: Fields]

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
