/** The whole suite against the reference host on engines that keep data after its process ends. */
import { describe } from "@effect/vitest"
import { it } from "../../core/testing/layer.ts"
import { testEngines } from "../../hosts/http/testing/engines.ts"
import { referenceHost } from "../testing/target.ts"
import { mustConform } from "./testing/mustConform.ts"

describe("the reference host is conformant by the whole suite", () => {
  // `targets.slow.test.ts` runs it on memory.
  for (const engines of testEngines()) {
    it.live(`on ${engines.metadata} and ${engines.objects}`, function* () {
      yield* mustConform(yield* referenceHost({ engines }))
    })
  }
})
