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
  const yoga = await withLargerStack(loadYoga)
  // The scale is that of a device for the app, which is known once the app is loaded.
  let config: Config | undefined
  return { newNode: () => yoga.Node.create((config ??= configOf(yoga))) }
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
const withLargerStack = async <A>(load: () => Promise<A>): Promise<A> => {
  const { instantiate } = WebAssembly
  const instantiateWithStack = async (bytes: ArrayBuffer | Uint8Array, imports?: WebAssembly.Imports) => {
    const compiled = await instantiate(withStackExported(new Uint8Array(bytes)), imports)
    enlargeStack(compiled.instance)
    return compiled
  }
  Object.assign(WebAssembly, { instantiate: instantiateWithStack })
  try {
    return await load()
  } finally {
    Object.assign(WebAssembly, { instantiate })
  }
}

const enlargeStack = (instance: WebAssembly.Instance): void => {
  const [stackPointer, allocate] = [instance.exports[stackName], instance.exports[mallocName]]
  if (!(stackPointer instanceof WebAssembly.Global) || typeof allocate !== "function")
    throw new Error("Yoga is another one.")
  // A stack grows downwards, from an address that can be divided by 16.
  stackPointer.value = (Number(allocate(stackBytes)) + stackBytes) & ~15
}

/** The module with one more export: the place of its stack. */
const withStackExported = (module: Uint8Array): Uint8Array<ArrayBuffer> => {
  const afterHeader = 8
  for (let at = afterHeader; at < module.length;) {
    const [length, body] = decodedNumber(module, at + 1)
    if (module[at] === exportSection) {
      const [count, entries] = decodedNumber(module, body)
      const name = new TextEncoder().encode(stackName)
      const exported = [
        ...encodedNumber(count + 1),
        ...module.subarray(entries, body + length),
        name.length,
        ...name,
        kindOfGlobal,
        firstGlobal
      ]
      const section = [exportSection, ...encodedNumber(exported.length), ...exported]
      return Uint8Array.from([...module.subarray(0, at), ...section, ...module.subarray(body + length)])
    }
    at = body + length
  }
  throw new Error("The WebAssembly exports nothing.")
}

/** Such a number, and the position after it. */
const decodedNumber = (bytes: Uint8Array, at: number): readonly [number: number, next: number] => {
  const byte = bytes[at] ?? 0
  if (byte < 128) return [byte, at + 1]
  const [more, next] = decodedNumber(bytes, at + 1)
  return [(more << 7) | (byte & 127), next]
}

/** A number as WebAssembly writes it, seven bits a byte. */
const encodedNumber = (number: number): ReadonlyArray<number> =>
  number < 128 ? [number] : [(number & 127) | 128, ...encodedNumber(number >>> 7)]

/** The larger stack, in bytes. */
const stackBytes = 1 << 20

/** What `yoga-layout` 3.2.1 calls its `malloc`. */
const mallocName = "I"

/** The name under which the place of the stack, which is the first global of every module that Emscripten makes, is exported. */
const stackName = "stack"

const [exportSection, kindOfGlobal, firstGlobal] = [7, 3, 0]
