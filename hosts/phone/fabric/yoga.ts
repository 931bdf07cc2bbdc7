/*!
Yoga: MIT License

Copyright (c) Facebook, Inc. and its affiliates.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
import { type Config, Errata, loadYoga, type Node, type Yoga } from "yoga-layout/load"
import { scale } from "../runtime/device.ts"

/** Yoga, which lays out React Native's views on phones too. */
export interface Layout {
  readonly newNode: () => Node
}

export const makeLayout = async (): Promise<Layout> => {
  const yoga = await withRoomyStack(loadYoga)
  const config = configOf(yoga)
  return { newNode: () => yoga.Node.create(config) }
}

const configOf = (yoga: Yoga): Config => {
  const config = yoga.Config.create()
  // React Native keeps to how Yoga always was, mistakes included.
  config.setErrata(Errata.All)
  config.setPointScaleFactor(scale())
  return config
}

/**
 * Yoga goes down a tree by calling itself, and its WebAssembly comes with a stack of 64 kB: some 430 levels, after
 * which it writes over its own data. So it is given a larger one before anything is laid out. The compiled module has
 * no option for that: it is patched to export its stack pointer, and another stack is allocated with its own `malloc`.
 */
const withRoomyStack = async <A>(load: () => Promise<A>): Promise<A> => {
  const { instantiate } = WebAssembly
  const own = async (bytes: ArrayBuffer | Uint8Array, imports?: WebAssembly.Imports) => {
    const made = await instantiate(withStackExported(new Uint8Array(bytes)), imports)
    withRoom(made.instance)
    return made
  }
  Object.assign(WebAssembly, { instantiate: own })
  try {
    return await load()
  } finally {
    Object.assign(WebAssembly, { instantiate })
  }
}

const withRoom = (instance: WebAssembly.Instance): void => {
  const [place, take] = [instance.exports[stack], instance.exports[malloc]]
  if (!(place instanceof WebAssembly.Global) || typeof take !== "function") throw new Error("Yoga is another one.")
  // A stack grows downwards, from an address that can be divided by 16.
  place.value = (Number(take(stackBytes)) + stackBytes) & ~15
}

/** The module with one more export: the place of its stack. */
const withStackExported = (module: Uint8Array): Uint8Array<ArrayBuffer> => {
  const afterHeader = 8
  for (let at = afterHeader; at < module.length;) {
    const [length, body] = numberAt(module, at + 1)
    if (module[at] === exportSection) {
      const [count, entries] = numberAt(module, body)
      const name = new TextEncoder().encode(stack)
      const exported = [
        ...written(count + 1),
        ...module.subarray(entries, body + length),
        name.length,
        ...name,
        kindOfGlobal,
        firstGlobal
      ]
      const section = [exportSection, ...written(exported.length), ...exported]
      return Uint8Array.from([...module.subarray(0, at), ...section, ...module.subarray(body + length)])
    }
    at = body + length
  }
  throw new Error("The WebAssembly exports nothing.")
}

const numberAt = (bytes: Uint8Array, at: number): readonly [number: number, next: number] => {
  const byte = bytes[at] ?? 0
  if (byte < 128) return [byte, at + 1]
  const [more, next] = numberAt(bytes, at + 1)
  return [(more << 7) | (byte & 127), next]
}

/** A number as WebAssembly writes it, seven bits a byte; and what it is, with the place after it. */
const written = (number: number): ReadonlyArray<number> =>
  number < 128 ? [number] : [(number & 127) | 128, ...written(number >>> 7)]

/** The larger stack, in bytes. */
const stackBytes = 1 << 20

/** What `yoga-layout` 3.2.1 calls its `malloc`. */
const malloc = "I"

/** The name under which the place of the stack, which is the first global of every module that Emscripten makes, is exported. */
const stack = "stack"

const [exportSection, kindOfGlobal, firstGlobal] = [7, 3, 0]
