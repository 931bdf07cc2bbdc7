import type { Pack } from "../modules/Host.ts"
import { type Fields, fieldsIn, numberIn } from "../runtime/decode.ts"
import { color } from "../style/color.ts"
import { type Component, element, type Own } from "../views/Component.ts"
import { labelled, view } from "../views/view.ts"

interface Region {
  readonly latitude: number
  readonly longitude: number
  readonly latitudeDelta: number
  readonly longitudeDelta: number
}

const regionIn = (value: unknown): Region | undefined => {
  const { latitude, latitudeDelta, longitude, longitudeDelta } = fieldsIn(value)
  const [at, across] = [numberIn(latitude), numberIn(longitude)]
  if (at === undefined || across === undefined) return undefined
  return {
    latitude: at,
    longitude: across,
    latitudeDelta: numberIn(latitudeDelta) || 0.05,
    longitudeDelta: numberIn(longitudeDelta) || 0.05
  }
}

const initial: Region = { latitude: 0, longitude: 0, latitudeDelta: 120, longitudeDelta: 120 }

/** What places a marker on the map around it, by its tag. */
const placed = new Map<
  number,
  (map: { readonly region: Region; readonly width: number; readonly height: number }) => void
>()

/** A map without tiles: a grid, and markers at their places. */
const map: Component = (own) => {
  const drawn = labelled("Map (a replay has no tiles)")
  drawn.style.background =
    "repeating-linear-gradient(#0000 0 39px,#0001 39px 40px),repeating-linear-gradient(90deg,#0000 0 39px,#0001 39px 40px),#eaf2e3"
  drawn.style.overflow = "clip"
  let region = initial
  let size = { width: 0, height: 0 }
  let children: ReadonlyArray<Own> = []
  let isReady = false

  const place = (): void => {
    for (const child of children) placed.get(child.tag)?.({ region, ...size })
  }
  const show = (next: unknown): void => {
    region = regionIn(next) ?? regionIn(fieldsIn(next)["center"]) ?? region
    place()
    own.emit("topRegionChangeComplete", { region, continuous: false, isGesture: false })
  }
  const parsed = (json: unknown): unknown => {
    try {
      return JSON.parse(String(json))
    } catch {
      return undefined
    }
  }
  drawn.addEventListener("click", ({ offsetX, offsetY, target }) => {
    if (target !== drawn) return
    const latitude = region.latitude + (0.5 - offsetY / size.height) * region.latitudeDelta
    const longitude = region.longitude + (offsetX / size.width - 0.5) * region.longitudeDelta
    own.emit("topPress", { action: "press", coordinate: { latitude, longitude }, position: { x: offsetX, y: offsetY } })
  })

  return {
    element: drawn,
    update: (props, before) => {
      for (const name of ["initialCamera", "initialRegion", "camera", "region"]) {
        const value = props[name]
        if (value === before[name]) continue
        region = regionIn(value) ?? regionIn(fieldsIn(value)["center"]) ?? region
      }
      place()
    },
    childrenChanged: (now) => {
      children = now
      queueMicrotask(place)
    },
    laidOut: (box) => {
      size = box
      place()
      if (isReady) return
      isReady = true
      own.emit("topMapReady", {})
    },
    commands: {
      animateToRegion: (json) => show(parsed(json)),
      setCamera: (json) => show(parsed(json)),
      animateCamera: (json) => show(parsed(json)),
      fitToElements: () => {},
      fitToSuppliedMarkers: () => {},
      fitToCoordinates: () => {},
      setMapBoundaries: () => {}
    }
  }
}

/** A marker: what the app draws for it, else a pin. */
const marker: Component = (own) => {
  const pin = element("")
  const drawn = element("view", pin)
  pin.style.cssText =
    "position:absolute;left:-12px;top:-30px;width:24px;height:24px;border-radius:50% 50% 50% 0;rotate:-45deg;" +
    "border:2px solid #fff;box-sizing:border-box"
  drawn.style.cursor = "pointer"
  drawn.addEventListener("click", (event) => {
    event.stopPropagation()
    const { coordinate, identifier } = own.props()
    const payload = { action: "marker-press", id: identifier, coordinate }
    own.emit("topPress", payload)
    own.parent()?.emit("topMarkerPress", payload)
  })
  placed.set(own.tag, ({ height, region, width }) => {
    const at = fieldsIn(own.props()["coordinate"])
    const x = (((numberIn(at["longitude"]) ?? 0) - region.longitude) / region.longitudeDelta + 0.5) * width
    const y = (0.5 - ((numberIn(at["latitude"]) ?? 0) - region.latitude) / region.latitudeDelta) * height
    drawn.style.translate = `${x}px ${y}px`
  })
  const draw = (props: Fields): void => {
    pin.style.background = color(props["pinColor"]) || "#e5383b"
    drawn.ariaLabel = String(props["title"] ?? "Marker")
  }
  return {
    element: drawn,
    update: (props) => draw(props),
    childrenChanged: (children) => {
      pin.hidden = children.some(({ name }) => !/Callout/.test(name))
    },
    unmounted: () => placed.delete(own.tag)
  }
}

const hidden: Component = (own) => {
  const drawing = view(own)
  drawing.element.classList.add("away")
  return drawing
}

/** Lines, areas and tiles, which aren't drawn. */
const overlays = "Polyline Polygon Circle Overlay UrlTile WMSTile Callout Heatmap LocalTile CalloutSubview"

const named = (prefixes: ReadonlyArray<string>, name: string, component: Component) =>
  prefixes.map((prefix) => [`${prefix}${name}`, component] as const)

/** react-native-maps, without tiles, lines and areas */
export const maps: Pack = {
  components: Object.fromEntries([
    ...named(["RNMaps", "RNMapsGoogle"], "MapView", map),
    ...named(["AIRMap", "AIRGoogleMap"], "", map),
    ...named(["RNMaps", "RNMapsGoogle", "AIRMap", "AIRGoogleMap"], "Marker", marker),
    ...overlays.split(" ").flatMap((name) => named(["RNMaps", "RNMapsGoogle", "AIRMap", "AIRGoogleMap"], name, hidden))
  ]),
  legacy: Object.fromEntries(
    ["AIRMap", "AIRGoogleMap"].flatMap((name) => [
      [
        name,
        {
          props: "region initialRegion camera initialCamera",
          events: "MapReady Press MarkerPress RegionChangeComplete"
        }
      ],
      [`${name}Marker`, { props: "coordinate identifier title description", colors: "pinColor", events: "Press" }]
    ])
  ),
  partial: () => ({ RNMapsAirModule: {}, AIRMapModule: {} })
}
