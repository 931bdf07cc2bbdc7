/** Signed PUT and GET URLs for object stores that have no server of their own, and the routes behind them. */
export * from "./makeServedStore.ts"
export * from "./ObjectSink.ts"
export * from "./routes.ts"
export * from "./SignedUrls.ts"
