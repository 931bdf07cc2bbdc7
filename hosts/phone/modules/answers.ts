import { functionIn, type Fields } from "../runtime/decode.ts"
import type { Module } from "./Host.ts"

/** Methods that resolve to these values. A function is called with what the app passes. */
export const resolving = (answers: Fields): Module =>
  Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      async (...values: ReadonlyArray<unknown>) => {
        const called = functionIn(answer)
        return called === undefined ? answer : called(...values)
      }
    ])
  )

/** Constants, as properties and by `getConstants`. */
export const constants = (values: Fields): Module => ({ ...values, getConstants: () => values })

/** Methods without effect. */
export const ignoring = (names: string): Module => Object.fromEntries(names.split(" ").map((name) => [name, () => {}]))
