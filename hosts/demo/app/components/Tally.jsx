import { StyleSheet, View } from "react-native"
import { useTheme } from "../parts/theme.js"

const Group = ({ strokes, color }) => (
  <View style={styles.group}>
    {[0, 1, 2, 3].slice(0, strokes).map((index) => (
      <View key={index} style={[styles.stroke, { left: 3 + index * 9, backgroundColor: color }]} />
    ))}
    {strokes === 5 && <View style={[styles.slash, { backgroundColor: color }]} />}
  </View>
)

/** A number as strokes in fives, the way it is chalked on the gate; `limit` is the last one drawn. */
export const Tally = ({ count, limit }) => {
  const theme = useTheme()
  const places = Array.from({ length: Math.ceil(limit / 5) }, (_, index) => Math.min(5, Math.max(0, count - index * 5)))
  return (
    <View style={styles.board}>
      {places.map((strokes, index) => (
        <View key={index} style={[styles.place, { backgroundColor: theme.sunken }]}>
          <Group strokes={strokes} color={theme.ink} />
        </View>
      ))}
    </View>
  )
}

const styles = StyleSheet.create({
  board: { flexDirection: "row", flexWrap: "wrap", gap: 8 },
  place: {
    flexBasis: "22%",
    flexGrow: 1,
    height: 54,
    borderRadius: 12,
    alignItems: "center",
    justifyContent: "center"
  },
  group: { width: 36, height: 28 },
  stroke: { position: "absolute", top: 0, width: 3, height: 28, borderRadius: 2 },
  slash: {
    position: "absolute",
    left: -4,
    top: 12.5,
    width: 44,
    height: 3,
    borderRadius: 2,
    transform: [{ rotate: "-28deg" }]
  }
})
