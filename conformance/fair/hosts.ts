import { enveloped } from "./enveloped.ts"
import { eventual } from "./eventual.ts"
import { listening, type Start } from "./FairHost.ts"
import { createServer as createHttpServer, type RequestListener } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { createServer, type Socket } from "node:net"
import { generateKeyPairSync, sign } from "node:crypto"

/** The hosts, by name. */
export const fairHosts: Readonly<Record<string, Start>> = { enveloped, eventual }

/** A target that is no host of the interface. */
export interface Broken {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Listens for connections that speak something else than HTTP. */
const speaking = (handle: (socket: Socket) => unknown): Promise<Broken> =>
  listening(
    createServer((socket) => void handle(socket)),
    "http"
  )

const saying =
  (status: number, body: string): RequestListener =>
  (request, response) => {
    request.resume()
    response.writeHead(status, { "content-type": "application/json" }).end(body)
  }

/** The targets, by name. */
export const brokenTargets = {
  /** Answers 200 and an empty object to everything. */
  emptyObjects: () => listening(createHttpServer(saying(200, "{}")), "http"),
  /** Answers 404 to everything. */
  nothingThere: () => listening(createHttpServer(saying(404, '{"code":"not_found"}')), "http"),
  /** Accepts connections and reads, and never answers. */
  hanging: () => speaking((socket) => socket.resume()),
  /** Accepts connections and closes them at once. */
  closing: () => speaking((socket) => socket.destroy()),
  /** Greets every client as a service of another protocol, not HTTP. */
  garbage: () => speaking((socket) => socket.resume().end("SSH-2.0-OpenSSH_9.9\r\n\0\x14\xff\x0b not http\r\n\r\n")),
  /** Answers over HTTPS with a self-signed certificate. */
  untrusted: () => listening(createHttpsServer(selfSigned("127.0.0.1"), saying(200, "{}")), "https")
}

/** A value in DER: its tag, its length, its content. All that a small certificate needs is shorter than 64 KiB. */
const der = (tag: number, ...content: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(content)
  const { length } = body
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

const sequence = (...content: ReadonlyArray<Uint8Array>): Buffer => der(0x30, ...content)
const utcTime = (time: Date): Buffer =>
  der(0x17, Buffer.from(`${time.toISOString().replaceAll(/^20|[-:T]|\..*/g, "")}Z`))

/** 1.3.101.112 */
const ed25519 = sequence(der(0x06, Buffer.from([0x2b, 0x65, 0x70])))
/** 2.5.4.3 */
const commonName = der(0x06, Buffer.from([0x55, 0x04, 0x03]))

/**
 * A self-signed certificate, valid for a day unless times are given, and generated for each run: X.509 version 1, signed by its own key. Node
 * can read certificates and not make them, so its few fields are written here.
 *
 * @see RFC 5280 §4.1, RFC 8410
 */
export const selfSigned = (
  name: string,
  from = new Date(Date.now() - 3_600_000),
  until = new Date(Date.now() + 86_400_000)
): { readonly key: string; readonly cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const who = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name)))))
  const toBeSigned = sequence(
    der(0x02, Buffer.from([1])),
    ed25519,
    who,
    sequence(utcTime(from), utcTime(until)),
    who,
    publicKey.export({ type: "spki", format: "der" })
  )
  const signature = der(0x03, Buffer.from([0]), sign(null, toBeSigned, privateKey))
  const lines = sequence(toBeSigned, ed25519, signature)
    .toString("base64")
    .match(/.{1,64}/g)
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines?.join("\n")}\n-----END CERTIFICATE-----\n`
  }
}
