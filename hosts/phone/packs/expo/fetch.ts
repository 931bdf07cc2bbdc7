import { fieldsIn, listIn, textIn } from "../../runtime/decode.ts"
import { settings } from "../../runtime/device.ts"
import type { makeClasses } from "./sharedObjects.ts"

/** What Expo's own `fetch` is made of. The sandbox lets it reach the app's own files, and nothing else. */
export const fetchModule = ({ SharedObject }: Pick<ReturnType<typeof makeClasses>, "SharedObject">): object => {
  class NativeResponse extends SharedObject {
    status = -1
    statusText = ""
    url = ""
    redirected = false
    bodyUsed = false
    _rawHeaders: ReadonlyArray<readonly [string, string]> = []
    bytes = new Uint8Array()

    async startStreaming(): Promise<Uint8Array> {
      this.bodyUsed = true
      return this.bytes
    }

    cancelStreaming(): void {}

    async arrayBuffer(): Promise<ArrayBuffer> {
      this.bodyUsed = true
      return this.bytes.slice().buffer
    }

    async text(): Promise<string> {
      this.bodyUsed = true
      return new TextDecoder().decode(this.bytes)
    }
  }

  class NativeRequest extends SharedObject {
    readonly response: NativeResponse
    readonly stop = new AbortController()

    constructor(response: NativeResponse) {
      super()
      this.response = response
    }

    async start(url: string, asked: unknown, body: Uint8Array<ArrayBuffer> | null): Promise<NativeResponse> {
      const { response, stop } = this
      const { headers, method } = fieldsIn(asked)
      if (settings().network === "offline") throw new TypeError("The Internet connection appears to be offline.")
      const pairs = listIn(headers).map((one): [string, string] => [String(listIn(one)[0]), String(listIn(one)[1])])
      const answer = await fetch(url, { method: textIn(method) ?? "GET", headers: pairs, body, signal: stop.signal })
      response.bytes = new Uint8Array(await answer.arrayBuffer())
      response._rawHeaders = [...answer.headers]
      const { redirected, status, statusText } = answer
      Object.assign(response, { redirected, status, statusText, url: answer.url })
      return response
    }

    cancel(): void {
      this.stop.abort()
    }
  }
  return { NativeRequest, NativeResponse }
}
