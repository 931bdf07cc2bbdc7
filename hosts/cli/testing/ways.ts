/**
 * The ways in which a command reaches the accounts. The fast ones run in `npm test`, the others among the slow tests.
 */
import { engineSets, type EngineSet } from "../../http/testing/engineSets.ts"
import { sharedStores } from "./stores.ts"
import { startHere } from "./deployment.ts"
import { slipwayJson, temporaryFolder } from "./slipway.ts"

export interface Way {
  readonly through: string
  /** Whether a host runs on the same stores while the commands run. */
  readonly isHostRunning: boolean
  /** The settings of the commands and the host, on new, empty stores. */
  readonly env: () => Promise<Record<string, string>>
  /** The viewer URL that the commands print, for a host at this URL. */
  readonly viewer: (host: string) => string
}

const viewer = "https://viewer.example"

const all: Readonly<Record<EngineSet, ReadonlyArray<Way>>> = {
  quick: [
    {
      through: "a running host, which knows where it is",
      isHostRunning: true,
      env: async () => ({ SLIPWAY_DATA: temporaryFolder() }),
      viewer: (host) => host
    }
  ],
  slow: [
    {
      through: "a database server",
      isHostRunning: true,
      env: sharedStores,
      viewer: () => "http://127.0.0.1:8787"
    },
    {
      through: "the engines themselves",
      isHostRunning: false,
      env: async () => ({ SLIPWAY_DATA: temporaryFolder(), SLIPWAY_VIEWER_URL: viewer }),
      viewer: () => viewer
    }
  ]
}

export const ways = (): ReadonlyArray<Way> => engineSets().flatMap((set) => all[set])

/** New stores for this way, with a host where one runs on them, and what answers a command as JSON. */
export const startThrough = async ({ env: settings, isHostRunning }: Way) => {
  const env = await settings()
  if (isHostRunning) await startHere(env)
  return { env, json: (...args: ReadonlyArray<string>) => slipwayJson(args, { env }) }
}
