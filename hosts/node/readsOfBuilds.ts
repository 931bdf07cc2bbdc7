import { Effect, Exit, Layer } from "effect"
import { note } from "../http/accessNotes.ts"
import { leaveToRouter, readsOfBuilds } from "../http/readBuild.ts"
import type { HostServer } from "./httpServer.ts"

/**
 * Answers the usual read of a build below the framework, which costs half of the CPU time of such a read (`npm run
 * bench:peers`). Every other request, and every answer other than 200, is the framework's.
 */
export const layer = (server: HostServer) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const readOf = yield* readsOfBuilds
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      server.answersFirst = (request, response, others) => {
        const reading = readOf(request)
        if (reading === undefined) return false
        runFork(reading).addObserver((exit) => {
          if (Exit.isSuccess(exit) && exit.value !== undefined) {
            const { body, headers, notes } = exit.value
            note(request, notes)
            // With its length given, the body goes out with the headers in one write.
            response.writeHead(200, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
          } else {
            leaveToRouter(request)
            others()
          }
        })
        return true
      }
    })
  )
