/** Presigned URLs that the host itself serves: a refused request gets a problem like any other. */
import { inMemory } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { refusal } from "./testing/refusals.ts"
import { TestHost } from "./testing/TestHost.ts"
import { bundle } from "./testing/uploads.ts"

layer(TestHost.layer(inMemory))("presigned URLs of the host", (it) => {
  it.effect("a PUT to a URL that nobody signed is url_refused", function* () {
    const host = yield* TestHost
    const answer = yield* host.call("PUT", "/objects/uploads/x/bundle?signature=x", { raw: bundle })
    yield* refusal(answer, 403, "url_refused")
  })
})
