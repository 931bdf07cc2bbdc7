import { describe } from "@effect/vitest"
import { buildServiceCases, previewServiceCases, testRunServiceCases } from "./service/uploads.ts"
import { deletionServiceCases, sweepServiceCases } from "./service/deletions.ts"
import { hostCases, stormCases } from "./service/hosts.ts"
import { keyServiceCases, sessionServiceCases, shareLinkServiceCases } from "./service/credentials.ts"
import { layerService, type ServicePorts } from "./service/world.ts"
import { suite, type Adapter } from "./parts/suite.ts"

export type { ServicePorts } from "./service/world.ts"

/**
 * What the service must keep on the adapters of all ports together, while their calls fail ({@link faulty}) and the
 * clocks of its hosts differ. Presigned URLs receive real requests, as in `objectStoreSuite`.
 */
export const serviceSuite = <S = never>(name: string, ports: Adapter<ServicePorts, S>): void =>
  suite(`the service on ${name}`, ports, (it) => {
    const served = it.through(layerService)
    describe("Builds", () => buildServiceCases(served))
    describe("Previews", () => previewServiceCases(served))
    describe("TestRuns", () => testRunServiceCases(served))
    describe("ShareLinks", () => shareLinkServiceCases(served))
    describe("deletions", () => deletionServiceCases(served))
    describe("sweeps", () => sweepServiceCases(served))
    describe("Sessions", () => sessionServiceCases(served))
    describe("keys", () => keyServiceCases(served))
    describe("storms", () => stormCases(served))
    describe("hosts", () => hostCases(it))
  })
