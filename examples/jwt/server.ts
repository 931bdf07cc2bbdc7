import { Layer, Redacted } from "effect"
import { jwtVerify } from "jose"
import { createServer } from "node:http"
import * as memory from "slipway/adapters/memory"
import { Administration } from "slipway/core"
import { makeSlipway, nodeListener } from "slipway/hosts/http"
import * as viewer from "slipway/hosts/viewer"

const url = `http://127.0.0.1:${process.env.PORT}`
const [key, secret] = [new TextEncoder().encode(process.env.JWT_SECRET), Redacted.make("signs URLs; keep it secret")]
const checks = { audience: "slipway", requiredClaims: ["exp", "jti", "team", "scope"] }
const revoked = new Set<string>()
const who = async ({ headers }: Request) => {
  const sent = headers.get("authorization") ?? headers.get("cookie") ?? ""
  const text = /(?:^Bearer |\bjwt=)([\w.-]+)/.exec(sent)?.[1] ?? ""
  const jwt = await jwtVerify<{ team: string; scope: string }>(text, key, checks).catch(() => undefined)
  if (!jwt?.payload.jti || revoked.has(jwt.payload.jti)) return undefined
  return { account: jwt.payload.team, scopes: jwt.payload.scope.split(" "), session: jwt.payload.jti }
}
const signIn = (to: string) => `https://login.example/?${new URLSearchParams({ to })}`
const signOut = async (request: Request) => {
  revoked.add((await who(request))?.session ?? "")
  return new Response(null, { status: 303, headers: { location: "/", "set-cookie": "jwt=; Max-Age=0; Path=/" } })
}
const { ports, routes } = memory.engines({ url, secret })
const pages = viewer.layer({ secret, sessions: { who, isOn: (jti) => !revoked.has(jti), signIn, signOut } })
const slipway = makeSlipway({ settings: { url }, ports, routes: Layer.merge(routes, pages), authenticate: who })
await slipway.run(Administration.use((admin) => admin.createAccount({ name: "acme" })))
createServer(nodeListener(slipway)).listen(process.env.PORT, () => console.log(url))
