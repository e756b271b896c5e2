"""Writes the recordings beside it, by the packages rosbags and mcap-ros1-support, mcap-ros2-support (PyPI).

    python3 generate.py

Three messages on /laser (sensor_msgs/Range) and two on /battery (sensor_msgs/BatteryState), 250 ms apart from one second
after a time of a clock on a wall on; and one on /tf. The times and values are those of the tests in tests/msg/recordings.rs.
"""

from pathlib import Path

import numpy as np
from rosbags.rosbag1 import Writer as BagWriter
from rosbags.rosbag2 import StoragePlugin, Writer as RosWriter
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

HERE = Path(__file__).parent
START = 1_700_000_000_000_000_000
MS = 1_000_000


def messages(store, ros):
    """Channels, types, times in ms after the start, and messages."""
    if "tf2_msgs/msg/TFMessage" not in store.types:
        text = "geometry_msgs/TransformStamped[] transforms"
        store.register(get_types_from_msg(text, "tf2_msgs/msg/TFMessage"))
    types = store.types
    time = types["builtin_interfaces/msg/Time"]

    def header(at, frame):
        stamp = time(sec=1_700_000_000 + at // 1000, nanosec=at % 1000 * MS)
        more = {"seq": at} if ros == 1 else {}
        return types["std_msgs/msg/Header"](stamp=stamp, frame_id=frame, **more)

    def distance(at, value):
        more = {"variance": 0.0} if "variance" in types["sensor_msgs/msg/Range"].__annotations__ else {}
        return types["sensor_msgs/msg/Range"](
            header=header(at, "laser"), radiation_type=1, field_of_view=0.5, min_range=0.25, max_range=8.0, range=value,
            **more,
        )

    def battery(at, percentage):
        return types["sensor_msgs/msg/BatteryState"](
            header=header(at, "base"), voltage=12.5, temperature=20.0, current=-1.5, charge=2.0, capacity=4.0,
            design_capacity=4.5, percentage=percentage, power_supply_status=2, power_supply_health=1,
            power_supply_technology=3, present=True, cell_voltage=np.array([4.25, 4.0], dtype=np.float32),
            cell_temperature=np.array([], dtype=np.float32), location="slot é", serial_number="7",
        )

    def tf(at):
        transform = types["geometry_msgs/msg/Transform"](
            translation=types["geometry_msgs/msg/Vector3"](x=1.0, y=2.0, z=3.0),
            rotation=types["geometry_msgs/msg/Quaternion"](x=0.0, y=0.0, z=0.0, w=1.0),
        )
        stamped = types["geometry_msgs/msg/TransformStamped"](
            header=header(at, "map"), child_frame_id="base", transform=transform
        )
        return types["tf2_msgs/msg/TFMessage"](transforms=[stamped])

    return [
        ("/laser", "sensor_msgs/msg/Range", 1000, distance(1000, 5.0)),
        ("/battery", "sensor_msgs/msg/BatteryState", 1250, battery(1250, 0.5)),
        ("/laser", "sensor_msgs/msg/Range", 1500, distance(1500, 0.5)),
        ("/battery", "sensor_msgs/msg/BatteryState", 1750, battery(1750, 0.25)),
        ("/laser", "sensor_msgs/msg/Range", 2000, distance(2000, 4.0)),
        ("/tf", "tf2_msgs/msg/TFMessage", 2000, tf(2000)),
    ]


def bag(name, compression, channels=None):
    store = get_typestore(Stores.ROS1_NOETIC)
    path = HERE / name
    path.unlink(missing_ok=True)
    writer = BagWriter(path)
    if compression:
        writer.set_compression(compression)
    with writer:
        known = {}
        for topic, kind, at, message in messages(store, 1):
            if channels and topic not in channels:
                continue
            if topic not in known:
                known[topic] = writer.add_connection(topic, kind, typestore=store)
            writer.write(known[topic], START + at * MS, store.serialize_ros1(message, kind))


def ros2_mcap(name):
    store = get_typestore(Stores.ROS2_HUMBLE)
    folder = HERE / "bag2"
    with RosWriter(folder, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        known = {}
        for topic, kind, at, message in messages(store, 2):
            if topic not in known:
                known[topic] = writer.add_connection(topic, kind, typestore=store)
            writer.write(known[topic], START + at * MS, store.serialize_cdr(message, kind))
    (folder / "bag2.mcap").replace(HERE / name)
    for left in folder.iterdir():
        left.unlink()
    folder.rmdir()


def ros1_mcap(name):
    from mcap.writer import CompressionType, Writer

    store = get_typestore(Stores.ROS1_NOETIC)
    with open(HERE / name, "wb") as output:
        writer = Writer(output, compression=CompressionType.ZSTD)
        writer.start(profile="ros1")
        known = {}
        for topic, kind, at, message in messages(store, 1):
            if topic not in known:
                text, _ = store.generate_msgdef(kind)
                schema = writer.register_schema(kind.replace("/msg/", "/"), "ros1msg", text.encode())
                known[topic] = writer.register_channel(topic, "ros1", schema)
            at = START + at * MS
            writer.add_message(known[topic], at, bytes(store.serialize_ros1(message, kind)), at)
        writer.finish()


def others_mcap(name):
    """What nobody cares about may be written in any way: a channel without a schema, in chunks packed by LZ4."""
    from mcap.writer import CompressionType, Writer

    with open(HERE / name, "wb") as output:
        writer = Writer(output, compression=CompressionType.LZ4)
        writer.start()
        for topic, encoding, at, data in [("/a", "json", 0, b"{}"), ("/camera", "cdr", 200 * MS, b"\1\2\3")]:
            writer.add_message(writer.register_channel(topic, encoding, 0), at, data, at)
        writer.finish()


def database(name):
    """An SQLite database, which is refused."""
    import sqlite3

    (HERE / name).unlink(missing_ok=True)
    with sqlite3.connect(HERE / name) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, data BLOB)")


bag("plain.bag", None)
bag("bz2.bag", BagWriter.CompressionFormat.BZ2, {"/laser"})
bag("lz4.bag", BagWriter.CompressionFormat.LZ4, {"/battery"})
ros1_mcap("ros1.mcap")
ros2_mcap("ros2.mcap")
others_mcap("others.mcap")
database("ros2.db3")
