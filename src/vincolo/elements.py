"""What the methods of a model return besides bodies, frames, joints and measures."""

from vincolo.model.event import Event as Event
from vincolo.model.forces import Law as Law
from vincolo.model.forces import Load as Load
from vincolo.model.forces import Rotor as Rotor
from vincolo.model.forces import Spring as Spring
from vincolo.model.joint import Held as Held
from vincolo.model.joint import Switch as Switch
from vincolo.model.looks import Look as Look
from vincolo.model.submodel import Placed as Placed
