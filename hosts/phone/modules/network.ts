/** Requests, blobs and images. */
import { type AppFunction, type Fields, fieldsIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { isAndroid, settings } from "../runtime/device.ts"
import { loadImage } from "../views/image.ts"
import { eventMethods, type Modules } from "./Host.ts"

/**
 * Requests and blobs. The sandbox lets an app reach its own files only; a refused request fails as on a phone without a
 * network, and is reported in the console.
 */
export const network: Modules = ({ callable, assetUrls }) => {
  const requests = new Map<number, XMLHttpRequest>()
  const blobs = new Map<string, Bytes>()
  let last = 0

  const deliver = (id: number, request: XMLHttpRequest, type: string): void => {
    const bytes = request.response instanceof ArrayBuffer ? new Uint8Array(request.response) : new Uint8Array()
    if (type === "blob") {
      const blobId = `request-${id}`
      blobs.set(blobId, bytes)
      const kind = request.getResponseHeader("content-type") ?? ""
      callable.emit("didReceiveNetworkData", [id, { blobId, offset: 0, size: bytes.byteLength, type: kind }])
      return
    }
    const body = type === "text" ? new TextDecoder().decode(bytes) : toBase64(bytes)
    callable.emit("didReceiveNetworkData", [id, body])
  }

  const headersOf = (request: XMLHttpRequest): Readonly<Record<string, string>> =>
    Object.fromEntries(
      request
        .getAllResponseHeaders()
        .trim()
        .split(/\r?\n/)
        .map((line) => {
          const at = line.indexOf(":")
          return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
        })
    )

  /** React Native for Android passes each part of a request by itself, and numbers its requests. */
  const sendFromAndroid = (...parts: ReadonlyArray<unknown>): void => {
    const [method, url, id, headers, data, responseType, , timeout] = parts
    send({ method, url, headers, data, responseType, timeout }, () => {}, Number(id))
  }

  const send = (query: Fields, started: AppFunction, id = ++last): void => {
    const request = new XMLHttpRequest()
    const type = textIn(query["responseType"]) ?? "text"
    const done = (error: string | null, isLate = false): void => {
      requests.delete(id)
      callable.emit("didCompleteNetworkResponse", [id, error, isLate])
    }
    requests.set(id, request)
    started(id)
    if (settings().network === "offline") {
      done("The Internet connection appears to be offline.")
      return
    }
    request.addEventListener("readystatechange", () => {
      if (request.readyState !== request.HEADERS_RECEIVED) return
      callable.emit("didReceiveNetworkResponse", [id, request.status, headersOf(request), request.responseURL])
    })
    request.addEventListener("load", () => {
      deliver(id, request, type)
      done(null)
    })
    request.addEventListener("error", () => done("Network request failed"))
    request.addEventListener("timeout", () => done("The request timed out.", true))
    try {
      request.open(textIn(query["method"]) ?? "GET", assetUrls(textIn(query["url"]) ?? "")[0] ?? "")
      request.responseType = "arraybuffer"
      request.timeout = numberIn(query["timeout"]) ?? 0
      const headers = query["headers"]
      const pairs = Array.isArray(headers) ? headers.map(listIn) : Object.entries(fieldsIn(headers))
      for (const [name, value] of pairs) request.setRequestHeader(String(name), String(value))
      request.send(bodyOf(fieldsIn(query["data"]), blobs))
    } catch (error) {
      done(String(error))
    }
  }

  const partOf = (part: Fields): Bytes => {
    const data = part["data"]
    if (part["type"] === "string") return new TextEncoder().encode(String(data))
    const { blobId, offset, size } = fieldsIn(data)
    const from = numberIn(offset) ?? 0
    return (blobs.get(String(blobId)) ?? new Uint8Array()).slice(from, from + (numberIn(size) ?? 0))
  }

  const bytesOf = (blob: Fields): Bytes => partOf({ type: "blob", data: blob })

  return {
    Networking: {
      ...eventMethods,
      sendRequest: isAndroid() ? sendFromAndroid : (query: Fields, started: AppFunction) => send(query, started),
      abortRequest: (id: number): void => {
        requests.get(id)?.abort()
        requests.delete(id)
      },
      clearCookies: (callback: AppFunction) => callback(false)
    },
    BlobModule: {
      getConstants: () => ({ BLOB_URI_SCHEME: "blob", BLOB_URI_HOST: null }),
      addNetworkingHandler: () => {},
      addWebSocketHandler: () => {},
      removeWebSocketHandler: () => {},
      sendOverSocket: () => {},
      createFromParts: (parts: ReadonlyArray<unknown>, id: string): void => {
        const all = parts.map(fieldsIn).map(partOf)
        const whole = new Uint8Array(all.reduce((total, { byteLength }) => total + byteLength, 0))
        let at = 0
        for (const one of all) {
          whole.set(one, at)
          at += one.byteLength
        }
        blobs.set(id, whole)
      },
      release: (id: string) => blobs.delete(id)
    },
    FileReaderModule: {
      readAsText: async (blob: Fields) => new TextDecoder().decode(bytesOf(blob)),
      readAsDataURL: async (blob: Fields) =>
        `data:${textIn(blob["type"]) || "application/octet-stream"};base64,${toBase64(bytesOf(blob))}`
    },
    WebSocketModule: {
      ...eventMethods,
      connect: (_url: string, _protocols: unknown, _options: unknown, id: number) =>
        callable.emit("websocketFailed", { id, message: "A replay reaches no server." }),
      send: () => {},
      sendBinary: () => {},
      ping: () => {},
      close: () => {}
    }
  }
}

/** What a request brings with it. */
const bodyOf = (data: Fields, blobs: ReadonlyMap<string, Bytes>): string | Bytes | FormData | null => {
  const text = textIn(data["string"])
  if (text !== undefined) return text
  const base64 = textIn(data["base64"])
  if (base64 !== undefined) return fromBase64(base64)
  const blob = textIn(fieldsIn(data["blob"])["blobId"])
  if (blob !== undefined) return blobs.get(blob) ?? null
  if (!Array.isArray(data["formData"])) return null
  const form = new FormData()
  for (const part of data["formData"].map(fieldsIn)) {
    form.append(textIn(part["fieldName"]) ?? "", textIn(part["string"]) ?? "")
  }
  return form
}

type Bytes = Uint8Array<ArrayBuffer>

export const toBase64 = (bytes: Bytes): string => {
  let text = ""
  for (let at = 0; at < bytes.length; at += chunkLength) {
    text += String.fromCharCode(...bytes.subarray(at, at + chunkLength))
  }
  return btoa(text)
}

const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

const chunkLength = 32_768

/** What apps ask of images before they show them. */
export const images: Modules = ({ assetUrls }) => {
  const size = async (uri: string) => {
    const { image } = await loadImage(assetUrls(uri))
    return { width: image.naturalWidth, height: image.naturalHeight }
  }
  const fetched = (uri: string) => loadImage(assetUrls(uri)).then(() => true)
  return {
    ImageLoader: {
      getConstants: () => ({}),
      getSize: async (uri: string) => {
        const { height, width } = await size(uri)
        return isAndroid() ? { width, height } : [width, height]
      },
      getSizeWithHeaders: size,
      prefetchImage: fetched,
      prefetchImageWithMetadata: fetched,
      queryCache: async () => ({})
    },
    ImageEditingManager: { getConstants: () => ({}), cropImage: () => {} },
    ImageStoreManager: { getConstants: () => ({}) }
  }
}
