import { assert, it } from "vitest"
import { buffersOf } from "./buffers.ts"

it("a spare buffer is there until many are in use, and again when some were given back", () => {
  const buffers = buffersOf(8)
  const taken = Array.from({ length: 31 }, () => buffers.take())
  const spare = buffers.takeSpare()
  assert.strictEqual(spare?.byteLength, 8)
  assert.isUndefined(buffers.takeSpare())
  taken.push(buffers.take())
  assert.isUndefined(buffers.takeSpare())
  for (const buffer of taken.slice(0, 2)) buffers.giveBack(buffer)
  assert.strictEqual(buffers.takeSpare(), taken[1])
})
