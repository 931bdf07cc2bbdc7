import { must } from "../../dialect/Violation.ts"
import type { CheckTable } from "../steps/Check.ts"
import { a, b, needsTwoRepositories, unlinkedRepositories } from "../steps/accounts.ts"
import { refuses } from "../steps/answers.ts"
import { mustShow, queryOf, readLatest, visible } from "../steps/builds.ts"
import { buildInput, bundleSizeBytes, fileSizeBytes, fiveFiles, unusual, unusualCost } from "../steps/inputs.ts"
import { finalizeBuild, readyBuild, reserveBuild, sendReservation } from "../steps/makeBuilds.ts"
import { uploadAll } from "../steps/uploadAll.ts"

/** What a reservation accepts and answers, and for which repositories. */
export const reserveChecks: CheckTable = {
  "builds.reserve.url": {
    title: "The url that a reservation returns is the url of the ready build.",
    cost: { requests: 3, bytes: bundleSizeBytes },
    *run() {
      // The steps require it of every build.
      yield* readyBuild("build")
    }
  },
  "builds.slots.content-type": {
    title: "A slot names the content type to send with its PUT.",
    cost: { requests: 1, bytes: 0 },
    *run() {
      // The step requires it of every reservation.
      yield* reserveBuild("build")
    }
  },
  "builds.reserve.formats": {
    title:
      "A build whose device dimensions have a fraction, and whose bundle isn't transformed, is uploaded and finalized.",
    cost: { requests: 3 + unusualCost.builds.requests, bytes: bundleSizeBytes + unusualCost.builds.bytes },
    *run() {
      const { fields, files } = yield* unusual("build")
      const deviceSpec = { width: 411.43, height: 890.29 }
      yield* readyBuild("build", { fields: { ...fields, deviceSpec }, files })
    }
  },
  "builds.files": {
    title: "Each declared file has a slot of its own, and the build is ready once all of them are uploaded.",
    cost: { requests: 8, bytes: bundleSizeBytes + 5 * fileSizeBytes },
    *run() {
      const { reserved } = yield* reserveBuild("build", { files: yield* fiveFiles("build") })
      const urls = new Set(reserved.slots.map(({ putUrl }) => putUrl))
      yield* must(urls.size === 6, "The bundle and five files have six slots.", `There were ${urls.size}.`)
      yield* uploadAll(reserved)
      yield* finalizeBuild(reserved)
    }
  },
  "builds.reserve.unlinked-repository": {
    title: "A reservation for a repository that is not linked to the account is refused.",
    cost: { requests: 2, bytes: 0 },
    *run() {
      for (const fields of yield* unlinkedRepositories) {
        const input = yield* buildInput("build", { fields })
        const what = "A reservation for a repository that is not linked"
        yield* refuses(sendReservation(input, a), what, "builds.reserve.unlinked-repository")
      }
    }
  },
  "builds.reserve.foreign-repository": {
    title: "A reservation for another account's repository is refused, and that account sees nothing of it.",
    cost: { requests: 3, bytes: 0 },
    *run() {
      yield* needsTwoRepositories
      const input = yield* buildInput("build", { account: "b" })
      const read = readLatest(queryOf(input), b)
      const before = yield* visible(read)
      const what = "A reservation for another account's repository"
      yield* refuses(sendReservation(input, a), what, "builds.reserve.foreign-repository")
      yield* mustShow(read, before, "A refused reservation leaves the branch as it was.")
    }
  }
}
